import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BrokenRows, type CsvRecord, csvLine, readCsv, rowBytesMax } from './read-csv.ts';

async function read(...chunks: readonly string[]): Promise<readonly CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv(chunks)) records.push(record);
  return records;
}

test('quotes, line ends of both kinds, a byte-order mark and empty lines', async () => {
  assert.deepEqual(await read('\ufeffa,b\r\n"x, ""y""","two\nlines"\n\n,last'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x, "y"', 'two\nlines'] },
    { line: 5, cells: ['', 'last'] },
  ]);
});

test('a line ends by CR, LF or both, and counts once, also in a quoted cell', async () => {
  assert.deepEqual(await read('a,b\r1,2\r\r"x\r\ny",3\r\n4,"\r"\n5,6'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', '2'] },
    { line: 4, cells: ['x\r\ny', '3'] },
    { line: 6, cells: ['4', '\r'] },
    { line: 8, cells: ['5', '6'] },
  ]);
});

test('bytes that are no UTF-8 are kept where each is a character', async () => {
  const records: (readonly string[])[] = [];
  const bytes = Buffer.from('a;b\n\xe9;"\x80;"\n', 'latin1');
  for await (const { cells } of readCsv([bytes], { delimiter: ';', encoding: 'latin1' })) records.push(cells);
  assert.deepEqual(records, [
    ['a', 'b'],
    ['\xe9', '\x80;'],
  ]);
  assert.equal(csvLine(['\xe9', '\x80;', 'x,y'], ';'), '\xe9;"\x80;";x,y\r\n');
});

test('the rows before a broken one are read', async () => {
  const records: (readonly string[])[] = [];
  const rows = readCsv(['a\nb\n\n"c\nd']);
  await assert.rejects(async () => {
    for await (const { cells } of rows) records.push(cells);
  }, /line 4: a quote is opened and never closed/);
  assert.deepEqual(records, [['a'], ['b']]);
});

test('what is written is read, wherever the text is cut', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\r\n', 'é', '😀') });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { minLength: 1 })), fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const characters = [...rows.map((cells) => csvLine(cells)).join('')];
      const chunks = Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
        characters.slice(index * size, (index + 1) * size).join(''),
      );
      assert.deepEqual(
        (await read(...chunks)).map(({ cells }) => cells),
        rows,
      );
    }),
  );
});

const broken: readonly (readonly [text: string, expected: RegExp])[] = [
  ['a\n"b', /line 2: a quote is opened and never closed/],
  ['a\n"b"c', /line 2: text behind a closed quote/],
  ['a\nb"c', /line 2: a quote in a cell without quotes/],
  [`a\n"${'x'.repeat(rowBytesMax)}`, /line 2: the row is longer than 1 MiB/],
];

for (const [text, expected] of broken)
  test(`${JSON.stringify(text.slice(0, 12))} is refused: ${expected.source}`, async () => {
    await assert.rejects(read(text), (error) => error instanceof BrokenRows && expected.test(error.message));
  });
