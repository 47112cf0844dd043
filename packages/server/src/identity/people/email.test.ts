import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Email } from '@freehold/contract/management/accounts';
import fc from 'fast-check';
import { checkSchema } from '../../lib/check-schema.ts';
import { thinned } from '../../store/testing/quick.ts';
import { emailKey } from './email.ts';

const mistakesOf = (input: unknown) => checkSchema({ ...Email }, input, { pointer: '/email', name: 'email' });

function codeOf(input: unknown): string | undefined {
  return mistakesOf(input)[0]?.code;
}

test('takes an address as it was typed', () => {
  const addresses = [
    'ann@example.com',
    "Ann.O'Hara+tag@Mail.Example.com",
    "!#$%&'*+/=?^_`{|}~-@example.com",
    'a@x',
    'a@127.example',
    'søren@københavn.dk',
    '用户@例子.广告',
    `${'l'.repeat(64)}@${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(61)}`,
  ];
  for (const address of addresses) assert.deepEqual(mistakesOf(address), []);
});

test('refuses what is no address', () => {
  const inputs = [
    '',
    'ann',
    '@',
    'ann@',
    '@example.com',
    'a@b@example.com',
    ' ann@example.com',
    'ann@example.com ',
    'ann @example.com',
    '.ann@example.com',
    'ann.@example.com',
    'a..b@example.com',
    '"ann"@example.com',
    'ann(comment)@example.com',
    'Ann <ann@example.com>',
    'ann@[127.0.0.1]',
    'ann@example..com',
    'ann@.example.com',
    'ann@-example.com',
    'ann@example-.com',
    'ann@exa_mple.com',
    'ann@example.com,bob@example.com',
    'ann@example.com\r\nBcc: bob@example.com',
    'ann\0@example.com',
    'ann\ud800@example.com',
    `${'l'.repeat(65)}@example.com`,
    `ann@${'d'.repeat(64)}.com`,
  ];
  for (const input of inputs) assert.equal(codeOf(input), 'invalid_email', JSON.stringify(input));
});

test('refuses more than 254 bytes before it looks at them', () => {
  const longest = `${'l'.repeat(64)}@${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(61)}`;
  assert.equal(longest.length, 254);
  assert.equal(codeOf(longest), undefined);
  assert.equal(codeOf(`${longest}f`), 'too_long');
  assert.equal(codeOf(`${'ø'.repeat(32)}@${'d.'.repeat(95)}x`), 'too_long');
  assert.equal(codeOf('@'.repeat(1_000_000)), 'too_long');
});

test('A31 an address that is no text is a mistake of the input', () => {
  for (const input of [undefined, null, 1, true, ['ann@example.com'], { $ne: null }])
    assert.deepEqual(mistakesOf(input), [
      { pointer: '/email', code: 'wrong_type', message: '`email` must be a string' },
    ]);
});

test('A29 refuses a final dot and invisible characters', () => {
  const hidden = [
    '\u200b',
    '\u200d',
    '\u00ad',
    '\u202e',
    '\u2060',
    '\ufeff',
    '\u3164',
    '\u034f',
    '\u00a0',
    '\u2028',
    '\ue000',
  ];
  assert.equal(codeOf('victim@example.com.'), 'invalid_email');
  for (const character of hidden) {
    assert.equal(codeOf(`vic${character}tim@example.com`), 'invalid_email');
    assert.equal(codeOf(`victim@exam${character}ple.com`), 'invalid_email');
  }
});

test('A29 one person in another spelling is one person', () => {
  assert.equal(emailKey('Victim@Example.COM'), 'victim@example.com');
  assert.equal(emailKey('caf\u00e9@x'), emailKey('cafe\u0301@x'));
  assert.equal(emailKey('J\u030c@x'), emailKey('\u01f0@x'));
});

test('A29 homoglyphs, tags, dots and the case of other scripts stay distinct', () => {
  const others = [
    'vi\u0441tim@k.example', // Cyrillic es
    'victim+tag@k.example',
    'vic.tim@k.example',
    'v\u0131ctim@k.example', // dotless i
    'v\u0130ctim@k.example', // I with a dot
    'victim@\u212a.example', // Kelvin sign
    '\uff56ictim@k.example', // full width v
    'victim@k.example.',
  ];
  const keys = new Set(['victim@k.example', ...others].map(emailKey));
  assert.equal(keys.size, others.length + 1);
  assert.notEqual(emailKey('\u00c9@x'), emailKey('\u00e9@x'));
});

test('A29 no character beyond ASCII turns into one of ASCII', () => {
  for (let code = 0x80; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (/^[\0-\x7f]/.test(emailKey(character))) assert.fail(`U+${code.toString(16)} became ${emailKey(character)}`);
  }
});

test('a key is its own key, and canonically equal texts without the kept characters share one', () => {
  const tricky = fc.constantFrom(
    'J',
    'j',
    'K',
    '\u212a',
    '\u1fef',
    '\u037e',
    '\u030c',
    '\u0323',
    '\u0302',
    '\u00c5',
    '@',
  );
  const unit = fc.oneof(tricky, fc.string({ unit: 'binary', maxLength: 2 }));
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = units.join('');
      assert.equal(emailKey(emailKey(text)), emailKey(text));
      if (/[\u037e\u1fef\u212a]/.test(text)) return;
      assert.equal(emailKey(text.normalize('NFD')), emailKey(text));
    }),
    { numRuns: thinned(1000) },
  );
});

test('what is longer than an address may be is not folded, which could take minutes', () => {
  const marks = `a${'\u0301\u0316'.repeat(500_000)}@B.example`;
  assert.equal(emailKey(marks), marks);
});
