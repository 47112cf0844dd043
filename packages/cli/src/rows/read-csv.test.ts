import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BrokenRows, type CsvRecord, csvLine, readCsv, rowCharactersMax } from './read-csv.ts';

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

test('what is written is read, wherever the text is cut', async () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', 'é', '😀') })
    .filter((text) => text !== '');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { minLength: 1 })), fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const characters = [...rows.map(csvLine).join('')];
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
  [`a\n"${'x'.repeat(rowCharactersMax)}`, /line 2: the row is longer than 1 MiB/],
];

for (const [text, expected] of broken)
  test(`${JSON.stringify(text.slice(0, 12))} is refused: ${expected.source}`, async () => {
    await assert.rejects(read(text), (error) => error instanceof BrokenRows && expected.test(error.message));
  });
