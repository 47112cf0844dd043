import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { Problem } from '../problem.ts';
import { decodeUtf8, parseStrictJson } from './strict-json.ts';

function refusal(text: string): Problem {
  try {
    parseStrictJson(text);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, 'invalid_request');
    return error;
  }
  return assert.fail(`accepted ${text.slice(0, 100)}`);
}

function firstError(text: string): readonly [pointer: string | undefined, code: string | undefined] {
  const error = refusal(text).details.errors?.[0];
  return [error?.pointer, error?.code];
}

test('gives what JSON.parse gives', () => {
  const texts = [
    'null',
    ' true ',
    '0',
    '-0',
    '1.50',
    '1E3',
    '""',
    '[]',
    '{}',
    '[[],{}]',
    '{"":{"":""}}',
    '"\\\\"',
    '"\\""',
  ];
  for (const text of texts) assert.deepEqual(parseStrictJson(text), JSON.parse(text), text);
  assert.deepEqual(parseStrictJson('{"a":[1,{"a":2}],"b":{"a":"a","b":":,{}[]"}}'), {
    a: [1, { a: 2 }],
    b: { a: 'a', b: ':,{}[]' },
  });
});

test('refuses what is not JSON and says where, when that is known', () => {
  for (const text of [
    '',
    ' ',
    '{',
    '[1,]',
    "{'a':1}",
    '{"a":1,}',
    'NaN',
    '01',
    '+1',
    '.5',
    '1 2',
    '"\t"',
    '\ufeff{}',
    '\u00a01',
  ]) {
    assert.match(refusal(text).message, /^the text is not valid JSON/, text);
  }
  assert.equal(refusal('{"a":1\n"b":2}').message, 'the text is not valid JSON (line 2, column 1)');
});

test('refuses a key that appears twice in one object, also when it is spelled with escapes', () => {
  assert.deepEqual(firstError('{"a":1,"b":2,"a":1}'), ['/a', 'duplicate_key']);
  assert.deepEqual(firstError('{"a":1,"\\u0061":2}'), ['/a', 'duplicate_key']);
  assert.deepEqual(firstError('{"":1,"":2}'), ['/', 'duplicate_key']);
  assert.deepEqual(firstError('[0,{"x/y":[{"~":1 , "~" :2}]}]'), ['/1/x~1y/0/~0', 'duplicate_key']);
  assert.deepEqual(firstError('{"hasOwnProperty":1,"hasOwnProperty":2}'), ['/hasOwnProperty', 'duplicate_key']);
});

test('allows one key in several objects, and a value that reads like a key', () => {
  assert.deepEqual(parseStrictJson('[{"a":"a"},{"a":["a","a"]}]'), [{ a: 'a' }, { a: ['a', 'a'] }]);
  assert.deepEqual(parseStrictJson('{"a":{"a":1},"b":"a"}'), { a: { a: 1 }, b: 'a' });
});

test('allows 32 levels and refuses 33', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.doesNotThrow(() => parseStrictJson(nested(32)));
  assert.deepEqual(firstError(nested(33)), ['/0'.repeat(32), 'too_deep']);
  assert.deepEqual(firstError(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`), ['/a'.repeat(32), 'too_deep']);
  assert.doesNotThrow(() => parseStrictJson(`[${'[],'.repeat(1000)}[]]`));
  assert.throws(() => parseStrictJson('[[]]', { depthMax: 1 }), Problem);
  for (const text of ['"', '{"a', '["a\\', '["\\u12"]'])
    assert.match(refusal(text).message, /^the text is not valid JSON/);
});

test('survives a megabyte of open brackets', () => {
  refusal('['.repeat(1 << 20));
  refusal('{"a":'.repeat(1 << 18));
  refusal('['.repeat(1 << 19) + ']'.repeat(1 << 19));
});

test('refuses U+0000 and halves of surrogate pairs, escaped or raw, in keys and in values', () => {
  const forbidden = ['\\u0000', '\\ud83d', '\\uDE00', '\\ude00\\ud83d', '\ud83d', '\udc00', '\\ud83d\ude00x\udc00'];
  for (const characters of forbidden) {
    assert.deepEqual(firstError(`{"a":["b${characters}c"]}`), ['/a/0', 'invalid_character'], characters);
    assert.equal(firstError(`{"b${characters}c":1}`)[1], 'invalid_character', characters);
    assert.deepEqual(firstError(`"${characters}"`), ['', 'invalid_character'], characters);
  }
});

test('allows whole surrogate pairs, escaped, raw and mixed, and escaped text that only looks like an escape', () => {
  for (const text of ['"😀"', '"\\ud83d\\ude00"', '"\ud83d\\ude00"', '"\\\\u0000"', '"\\\\\\\\ud83d"', '"\\u00e9"']) {
    assert.equal(parseStrictJson(text), JSON.parse(text));
  }
});

test('refuses numbers that would not be kept as they were written', () => {
  const refused = [
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e30',
    '1E30',
    '9007199254740993.0',
  ];
  for (const number of refused) {
    assert.deepEqual(firstError(`{"a":[0,${number}]}`), ['/a/1', 'number_out_of_range'], number);
    assert.deepEqual(firstError(number), ['', 'number_out_of_range'], number);
  }
  for (const number of ['9007199254740991', '-9007199254740991', '0.1', '1e15', '1E-7', '-1.5e+3', '1e-400']) {
    assert.equal(parseStrictJson(number), Number(number));
  }
});

test('refuses the key `__proto__`, also when it is spelled with escapes', () => {
  assert.deepEqual(firstError('{"a":{"__proto__":{}}}'), ['/a/__proto__', 'forbidden_key']);
  assert.deepEqual(firstError('{"__pro\\u0074o__":{}}'), ['/__proto__', 'forbidden_key']);
  assert.equal(parseStrictJson('"__proto__"'), '__proto__');
  assert.deepEqual(parseStrictJson('{"constructor":1}'), { constructor: 1 });
});

test('repeats only a short part of a long key', () => {
  const key = 'k'.repeat(10_000);
  assert.ok(refusal(`{"${key}":1,"${key}":2}`).message.length < 200);
});

test('takes as many members of objects as it may, all objects together, and reads nothing behind them', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join();
  const limits = { membersMax: 100 };
  assert.equal(Object.keys(parseStrictJson(`{${members(100)}}`, limits) as object).length, 100);
  assert.doesNotThrow(() => parseStrictJson(`[{${members(50)}},{${members(48)}}]`, limits));
  for (const text of [`{${members(101)}`, `[{${members(50)}},{${members(51)}`, `[${'{},'.repeat(101)}`])
    assert.throws(
      () => parseStrictJson(`${text} and what follows is no JSON`, limits),
      ({ details }: Problem) => details.errors?.[0]?.code === 'too_many',
      text,
    );
  assert.doesNotThrow(() => parseStrictJson(`{${members(50_000)}}`));
  assert.deepEqual(firstError(`{${members(50_001)}`), ['/k50000', 'too_many']);
});

test('takes as many elements of arrays as it may, all arrays together, and reads nothing behind them', () => {
  const limits = { elementsMax: 100 };
  assert.doesNotThrow(() => parseStrictJson(`[${'1,'.repeat(99)}1]`, limits));
  assert.doesNotThrow(() => parseStrictJson(`{"a":[${'1,'.repeat(49)}1],"b":[${'1,'.repeat(49)}1]}`, limits));
  for (const text of [
    `[${'1,'.repeat(100)}`,
    `{"a":[${'1,'.repeat(50)}1],"b":[${'1,'.repeat(50)}`,
    `[${'[],'.repeat(100)}`,
  ])
    assert.throws(
      () => parseStrictJson(`${text} and what follows is no JSON`, limits),
      ({ details }: Problem) => details.errors?.[0]?.code === 'too_many',
      text,
    );
  assert.doesNotThrow(() => parseStrictJson(`[${'1,'.repeat(300_000)}1]`));
});

test('stops at the first thing that is wrong', () => {
  for (const text of ['{"a":1,"a":2', '[1e999', '{"__proto__":1', '["\\u0000"'])
    assert.ok(refusal(`${text} and what follows is no JSON`).details.errors, text);
});

test('the place of a mistake shows only a short part of a long key', () => {
  const [pointer = ''] = firstError(`{"${'k'.repeat(1_000_000)}":{"a":1,"a":2}}`);
  assert.equal(pointer, `/${'k'.repeat(256)}…/a`);
});

/** Any JSON text of a value: random white space, escapes and, now and then, a key given twice. */
function textOf(value: fc.JsonValue, random: () => number): string {
  const space = () => ['', '', ' ', '\n', '\t\r'][random() % 5] ?? '';
  const string = (text: string) =>
    `"${[...text.split('')].map((unit) => (random() % 4 === 0 ? escaped(unit) : JSON.stringify(unit).slice(1, -1))).join('')}"`;
  const render = (part: fc.JsonValue | undefined): string => {
    if (typeof part === 'string') return string(part);
    if (typeof part !== 'object' || part === null) return JSON.stringify(part ?? null);
    if (Array.isArray(part)) return `[${space()}${part.map((item) => render(item) + space()).join(`,${space()}`)}]`;
    const members = Object.entries(part).map(([key, item]) => `${string(key)}${space()}:${space()}${render(item)}`);
    return `{${space()}${members.join(`${space()},`)}${space()}}`;
  };
  return space() + render(value) + space();
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether a parsed value holds nothing that is refused. Says nothing about keys given twice. */
function isClean(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value === 'number') return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= 32) return false;
  return Object.entries(value).every(([key, item]) => key !== '__proto__' && isClean(key) && isClean(item, depth + 1));
}

const anyString = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('\\', '"', '\\"', '\\u0000', '__proto__'),
);
const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(2 ** 53, 0.5),
);
const anyJson = fc.letrec<{ value: fc.JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    anyString,
    anyNumber,
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyString, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const anyRandom = fc.infiniteStream(fc.nat()).map((stream) => () => Number(stream.next().value));

test('accepts any spelling of any clean value as JSON.parse reads it, and nothing else', () => {
  fc.assert(
    fc.property(anyJson, anyRandom, (value, random) => {
      const text = textOf(value, random);
      const parsed: unknown = JSON.parse(text);
      if (isClean(parsed)) assert.deepEqual(parseStrictJson(text), parsed);
      else refusal(text);
    }),
    { numRuns: thinned(2000) },
  );
});

test('finds a key given twice wherever it stands', () => {
  const anyKey = fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__' && isClean(key));
  fc.assert(
    fc.property(
      fc.uniqueArray(anyKey, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      (keys, a, b, twice) => {
        const members = keys.map((key) => `${JSON.stringify(key)}:{"x":["y","x"]}`);
        const again = keys[a % keys.length] ?? '';
        const name = again.split('').map(escaped).join('');
        if (twice) members.splice(b % (keys.length + 1), 0, `"${name}":"x"`);
        const text = `[{"x":0},{${members.join(',')}}]`;
        if (twice) assert.equal(firstError(text)[1], 'duplicate_key');
        else assert.deepEqual(parseStrictJson(text), JSON.parse(text));
      },
    ),
  );
});

test('decodes UTF-8 and refuses what is not', () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  assert.equal(decodeUtf8(encode('{"a":"é😀\0"}')), '{"a":"é😀\0"}');
  assert.equal(decodeUtf8(new Uint8Array()), '');
  assert.equal(decodeUtf8(encode('a\ufeffb')), 'a\ufeffb');
  const invalid = [[0xff], [0x61, 0xc3], [0xc0, 0x80], [0xed, 0xa0, 0xbd], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];
  for (const bytes of [...invalid, [0xef, 0xbb, 0xbf, 0x7b, 0x7d]]) {
    assert.throws(() => decodeUtf8(Uint8Array.from(bytes)), { name: 'Problem', code: 'invalid_request' });
  }
});

test('gives integers outside of the exact range as their digits, where a caller takes them so', () => {
  const read = (text: string) => parseStrictJson(text, { readsLargeIntegers: true });
  assert.deepEqual(read('{"a":9007199254740993,"b":[-9223372036854775808,1, 9007199254740991],"c":1.5}'), {
    a: '9007199254740993',
    b: ['-9223372036854775808', 1, 9007199254740991],
    c: 1.5,
  });
  assert.equal(read('18446744073709551615'), '18446744073709551615');
  assert.equal(read(`-1${'0'.repeat(400)}`), `-1${'0'.repeat(400)}`);
  for (const text of ['1e20', '1e400', '9007199254740993.0', '{9007199254740993:1}', '09007199254740993', '-'])
    assert.throws(() => read(text), { code: 'invalid_request' }, text);
  for (const text of [
    '[1 9007199254740993]',
    '"a"9007199254740993',
    '9007199254740993 9007199254740993',
    '{"a":1,9007199254740993}',
  ])
    assert.throws(() => read(text), { code: 'invalid_request' }, text);
  assert.throws(() => parseStrictJson('9007199254740993'), { code: 'invalid_request' });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.bigInt())), (pairs) => {
      const isExact = (big: bigint) => Number.isSafeInteger(Number(big));
      const text = pairs.map(([string, big]) => `{"v":${JSON.stringify(string.replaceAll('\0', ''))},"n":${big}}`);
      const expected = pairs.map(([string, big]) => ({
        v: string.replaceAll('\0', ''),
        n: isExact(big) ? Number(big) : String(big),
      }));
      assert.deepEqual(read(`[${text}]`), expected);
    }),
  );
});
