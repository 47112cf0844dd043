import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Email } from '@freehold/contract/management/accounts';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { checkSchema } from '../check-schema.ts';
import { domainKey, emailKey, emailKeys } from './email-key.ts';

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
    'victim\u212a@k.example', // Kelvin sign
    'victimk@k.example',
    '\uff56ictim@k.example', // full width v
    'victim@k.example.',
  ];
  const keys = new Set(['victim@k.example', ...others].map(emailKey));
  assert.equal(keys.size, others.length + 1);
  assert.notEqual(emailKey('\u00c9@x'), emailKey('\u00e9@x'));
});

const oneMailbox = [
  'ann@bücher.example',
  'Ann@BÜCHER.example',
  'ann@bu\u0308cher.example',
  'ann@xn--bcher-kva.example',
  'ann@XN--BCHER-KVA.Example',
  'ann@ｂücher．example',
];

test('A29 a domain is one in Unicode, in Punycode, in capitals and in decomposed letters', () => {
  for (const spelling of oneMailbox) assert.equal(emailKey(spelling), 'ann@bücher.example', spelling);
  for (const spelling of oneMailbox)
    assert.equal(domainKey(spelling.slice(spelling.indexOf('@') + 1)), 'bücher.example', spelling);
  assert.equal(emailKey('victim@\u212a.example'), 'victim@k.example');
  assert.equal(emailKey('bu\u0308cher@bu\u0308cher.example'), 'bücher@bücher.example');
});

test('A29 domains that are others in DNS stay distinct', () => {
  const others = [
    ...[
      'bücher.example',
      'bucher.example',
      'buecher.example',
      'xn--bcher-0ra.example',
      'strasse.example',
      'straße.example',
    ],
    ...[
      'bücher.example.',
      'bücherexample',
      'b\u00fccher.exampl\u0435',
      '127.0.0.1',
      '１２７.１',
      '0x7f.1',
      'a/ü',
      'a',
      'a?ü',
      'a#ü',
    ],
    ...['ü%2e.example', '\u200dü.example', 'xn--a', 'xn--'],
  ];
  assert.equal(new Set(others.map(domainKey)).size, others.length);
  assert.equal(new Set(others.map((domain) => emailKey(`ann@${domain}`))).size, others.length);
});

test('A29 an address of ASCII alone has the one key that it had', () => {
  for (const email of ['Ann.Lee+tag@Mail.Example.com', 'a@127.0.0.1', 'a@b', 'a', '', '@', 'a@b@C', 'a@b%41'])
    assert.deepEqual(emailKeys(email), [email.toLowerCase()]);
});

test('A29 the keys of earlier releases are looked for first', () => {
  assert.deepEqual(emailKeys('Ann@BÜCHER.Example'), [
    'ann@bÜcher.example',
    'ann@bücher.example',
    'ann@xn--bcher-kva.example',
  ]);
  assert.deepEqual(emailKeys('ann@xn--bcher-kva.example'), ['ann@xn--bcher-kva.example', 'ann@bücher.example']);
  assert.deepEqual(emailKeys('ann@bücher.example'), ['ann@bücher.example', 'ann@xn--bcher-kva.example']);
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

test('every domain is its own key, and one with all that IDNA takes for it', () => {
  const letter = fc.oneof(
    fc.constantFrom(
      ...'abzAZ019-.',
      'ü',
      'Ü',
      'ß',
      'ſ',
      '\u0308',
      '\u200d',
      'K',
      '。',
      '日',
      '本',
      'ا',
      'א',
      '😀',
      '％',
      '/',
      '@',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  const domain = fc.array(letter, { minLength: 1, maxLength: 20 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(domain, (text) => {
      const key = domainKey(text);
      assert.equal(domainKey(key), key);
      const keys = emailKeys(`ann@${text}`);
      assert.ok(keys.includes(emailKey(`ann@${text}`)));
      for (const one of keys) assert.equal(emailKey(one), emailKey(`ann@${text}`), one);
    }),
    { numRuns: 2000 },
  );
});

test('what is longer than an address may be is not folded, which could take minutes', () => {
  const marks = `a${'\u0301\u0316'.repeat(500_000)}@B.example`;
  assert.equal(emailKey(marks), marks);
  assert.deepEqual(emailKeys(marks), [marks]);
  assert.equal(domainKey(marks), marks);
});
