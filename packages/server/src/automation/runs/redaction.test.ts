import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redaction } from './redaction.ts';

function hiding(...values: readonly unknown[]): Redaction {
  const redaction = new Redaction();
  redaction.hideOf('0000', values);
  return redaction;
}

const value = 'k/+ü"9z-long\tvalue';
const bytes = Buffer.from(value);

for (const [what, text] of [
  ['as it is', value],
  ['within a text', `<${value}>`],
  ['in base64', bytes.toString('base64')],
  ['in base64 of URLs', bytes.toString('base64url')],
  ['in hexadecimal', bytes.toString('hex')],
  ['in capital hexadecimal', bytes.toString('hex').toUpperCase()],
  ['percent-encoded', encodeURIComponent(value)],
  ['as JSON', JSON.stringify({ value })],
  ['in escapes', [...value].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
] as const)
  test(`K08 a value is hidden ${what}`, () => {
    const redaction = hiding(value);
    const shown = redaction.of({ [text]: [text] });
    assert.match(JSON.stringify(shown), /^\{".*\*\*\*.*":\[".*\*\*\*.*"\]\}$/);
    assert.ok(!JSON.stringify(shown).includes(text) && redaction.isUsed);
  });

for (const before of ['', 'a', 'ab', 'abc', 'user:'])
  for (const after of ['', 'x', 'xy', '"}'])
    test(`K08 a value is hidden in the base64 of ${JSON.stringify(`${before}…${after}`)}`, () => {
      for (const form of ['base64', 'base64url'] as const) {
        const text = Buffer.from(before + value + after).toString(form);
        const shown = String(hiding(value).of(text));
        assert.match(shown, /\*\*\*/);
        // The rest are the characters that others take part in.
        assert.ok(shown.length <= 3 + 4 * Math.ceil(before.length / 3) + 4 * (Math.ceil(after.length / 3) + 1), shown);
      }
    });

test('a short value is hidden as a whole, and texts that stand for other things stay', () => {
  const redaction = hiding('ab', 'abcde');
  assert.deepEqual(redaction.of(['ab', 'cab', 'abcdef', 'YWI=', '6162', 6162, '6162636465']), [
    ...['***', 'cab', '***f', '***', '6162', 6162, '6162636465'],
  ]);
});

test('a value that is a number, an object or nothing', () => {
  const redaction = hiding(12345678, { a: 1 }, null, undefined, '');
  assert.deepEqual(redaction.of([12345678, '12345678', 1, '{"a":1}', null, '']), ['***', '***', 1, '***', null, '']);
});

test('a text is hidden as JSON, URLs and forms of other systems have it', () => {
  const redaction = new Redaction();
  const value = 'key/of*a b+c~(d)';
  redaction.hideOf('', [value]);
  const percent = 'key%2Fof%2Aa%20b%2Bc%7E%28d%29';
  const lower = percent.replace(/%../g, (one) => one.toLowerCase());
  const forms = ['key\\/of*a b+c~(d)', percent, lower, 'key%2fof*a%20b%2bc~(d)', 'key/of%2Aa%20b%2Bc%7E%28d%29'];
  for (const form of [...forms, 'key%2Fof%2Aa+b%2Bc%7E%28d%29', 'key%2fof*a+b%2bc%7e%28d%29'])
    assert.equal(redaction.of(`a ${form} b`), 'a *** b', form);
});

test('K08 a text that was cut does not end in the beginning of a value, in whichever form it has it', () => {
  const value = 'secret-"value"-😀-of-many-characters';
  const redaction = hiding(value);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
  ];
  for (const form of forms)
    for (let length = 4; length < form.length; length++) {
      const text = `card ${form.slice(0, length)}…`.toWellFormed();
      const shown = String(redaction.of(text));
      assert.match(shown, /^card \*\*\*…?$/, text);
    }
  assert.deepEqual(redaction.of(['card sec…', 'card…', '…', 'a secret-ly long line…']), [
    ...['card sec…', 'card…', '…', 'a secret-ly long line…'],
  ]);
});
