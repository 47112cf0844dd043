import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonlRows } from './jsonl-rows.ts';
import { isExact, outcomes, pieces } from './testing/rows.ts';
import { rowBytesMax } from './transfer-row.ts';

const read = (file: string | Uint8Array, size?: number): Promise<readonly unknown[]> =>
  outcomes(jsonlRows(pieces(file, size)));

test('each line is a row, whatever ends it and however it is cut', async () => {
  const records = fc.array(fc.jsonValue({ maxDepth: 2 }).filter(isExact));
  const end = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n');
  const property = fc.asyncProperty(records, end, fc.integer({ min: 1, max: 40 }), async (values, lineEnd, size) => {
    const lines = values.map((value) => JSON.stringify(value));
    const expected = lines.map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(await read(lines.map((line) => line + lineEnd).join(''), size), expected);
    assert.deepEqual(await read(lines.join(lineEnd), size), expected);
  });
  await fc.assert(property);
});

for (const [what, line, code] of [
  ['that is no JSON', '{"a":}', 'invalid_json'],
  ['with more behind it', '{} {}', 'invalid_json'],
  ['with one key twice', '{"a":1,"a":2}', 'duplicate_key'],
  ['with U+0000', '{"a":"\\u0000"}', 'invalid_character'],
  ['with an unsafe integer', '9007199254740993', 'number_out_of_range'],
  ['that is too deep', '['.repeat(33) + ']'.repeat(33), 'too_deep'],
  ['in broken UTF-8', Buffer.from([0x22, 0xc3, 0x22]), 'invalid_json'],
  ['with a byte order mark', '\ufeff{}', 'invalid_json'],
] as const)
  test(`a line ${what} is an error of its row alone`, async () => {
    const file = Buffer.concat(['{"a":1}\n', line, '\n{"a":2}'].map((part) => Buffer.from(part)));
    assert.deepEqual(await read(file), [{ a: 1 }, [code], { a: 2 }]);
  });

test('a byte order mark before the file is no part of its first row, however the file is cut', async () => {
  for (const size of [1, 2, 3, 100]) assert.deepEqual(await read('\ufeff{"a":1}\n{"a":2}', size), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(await read('\ufeff'), []);
});

test('a file of nothing has no rows', async () => {
  for (const file of ['', '\n', ' \r\n\t\n ']) assert.deepEqual(await read(file), []);
});

test('a line may have exactly a mebibyte; the file ends with a longer one, whether that ends or not', async () => {
  const filled = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
  const whole = filled(rowBytesMax);
  for (const size of [rowBytesMax * 4, 65_536]) {
    assert.deepEqual(await read(`${whole}\n1`, size), [JSON.parse(whole), 1]);
    assert.deepEqual(await read(`1\n${filled(rowBytesMax + 1)}\n2`, size), [1, ['too_long']]);
    assert.deepEqual(await read(`1\n${'x'.repeat(rowBytesMax * 2)}`, size), [1, ['too_long']]);
  }
});

test('no more of a line without an end is taken than it may have', async () => {
  let taken = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; ; taken += 65_536) yield Buffer.alloc(65_536, 'x');
  }
  assert.equal((await outcomes(jsonlRows(endless()))).length, 1);
  assert.ok(taken <= rowBytesMax + 65_536);
});
