import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Field } from '../../entities/definition.ts';
import { csvLine, failureReport, mappingFor, partOf, readCsv, readImportFile, readJsonLines } from './import-file.ts';

const fields: readonly Field[] = [{ name: 'title' }, { name: 'unit_price', colType: 'number' }];

test('CSV is read with quotes, commas and line ends in its cells, and written again with the names of the fields', () => {
  const file = readCsv('\ufeffTitle,note,"Unit price"\r\n"Lamp, ""big""",x,4\r\n"two\nlines",y,5\n');
  assert.deepEqual(file.columns, ['Title', 'note', 'Unit price']);
  const mapping = mappingFor(file.columns, fields);
  assert.deepEqual(
    [...mapping],
    [
      ['Title', 'title'],
      ['Unit price', 'unit_price'],
    ],
  );
  assert.deepEqual(partOf(file, mapping, 0, 2), {
    type: 'text/csv',
    data: 'title,unit_price\r\n"Lamp, ""big""",4\r\n"two\nlines",5\r\n',
  });
  assert.equal(partOf(file, mapping, 1, 2).data, 'title,unit_price\r\n"two\nlines",5\r\n');
});

test('whatever cells a file has, a part of it holds them', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ';', ' ', 'é', '\t') });
  const rows = fc.array(
    fc.tuple(
      fc.constant('x').chain(() => cell),
      cell,
    ),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(rows, (cells) => {
      const text = [['a', 'b'], ...cells].map(csvLine).join('');
      const file = readCsv(text);
      const written = readCsv(
        partOf(
          file,
          new Map([
            ['a', 'a'],
            ['b', 'b'],
          ]),
          0,
          file.rows.length,
        ).data,
      );
      assert.deepEqual(written.rows, file.rows);
      assert.deepEqual(file.rows, cells);
    }),
  );
});

test('semicolons and tabs cut columns too', () => {
  for (const delimiter of [';', '\t'])
    assert.deepEqual(readCsv(`title${delimiter}price\n"a, b"${delimiter}4`).rows, [['a, b', '4']]);
});

test('a row with a wrong number of cells stays wrong, with columns left out too', () => {
  const file = readCsv('title,note,unit_price\na,b\nc,d,5,6\ne,f,7');
  const mapping = new Map([
    ['title', 'title'],
    ['unit_price', 'unit_price'],
  ]);
  const written = readCsv(partOf(file, mapping, 0, 3).data);
  assert.deepEqual(
    written.rows.map(({ length }) => length),
    [3, 3, 2],
  );
});

test('JSON Lines are renamed where they have other names; what cannot be read is left to the platform', () => {
  const exact = '{"title":"a","n":12345678901234567890}';
  const file = readJsonLines(`{"Title":"a","x":1}\n\n{"title": \n${exact}\n`);
  assert.deepEqual(file.columns, ['Title', 'x', 'title', 'n']);
  const { data, type } = partOf(file, new Map([['Title', 'title']]), 0, 3);
  assert.equal(type, 'application/x-ndjson');
  assert.equal(data, `{"title":"a"}\n{"title": \n${exact}\n`);
});

for (const [what, name, content, message] of [
  ['a quote out of place', 'a.csv', 'a,b\n1,"x"y', /cannot be read/],
  ['other bytes than UTF-8', 'a.csv', new Uint8Array([0x61, 0x0a, 0xff]), /UTF-8/],
  ['no rows', 'a.csv', 'title,price\n', /no rows/],
  ['two columns of one name', 'a.csv', 'a,a\n1,2', /called a/],
] as const)
  test(`a file with ${what} is refused with a sentence`, async () => {
    await assert.rejects(readImportFile(new File([content], name)), { message });
  });

test('refused rows are a file that can be mended and sent again', () => {
  const file = readCsv('title,unit_price\na,4\n"b, c",many\n');
  const errors = [{ row: 2, errors: [{ pointer: '/unit_price', code: 'wrong_type', message: 'must be a number' }] }];
  const report = failureReport(file, errors);
  assert.equal(report.text, 'title,unit_price,row,error\r\n"b, c",many,2,/unit_price: must be a number\r\n');
  assert.deepEqual([...mappingFor(readCsv(report.text).columns, fields).keys()], ['title', 'unit_price']);
});
