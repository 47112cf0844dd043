import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvLine } from '../../lib/formats/csv-line.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import type { FieldDefinition, FieldValue } from '../../schema/definition.ts';
import { isValueProblem } from '../../schema/field-types/field-type.ts';
import { behaviourOf, fieldTypes } from '../../schema/field-types/registry.ts';
import { fieldOf, valuesFor } from '../../schema/testing/field-cases/any-field.ts';
import { thinned } from '../../store/testing/quick.ts';
import { cellText, csvRows } from './csv.ts';
import { isExact, outcomes, pieces } from './testing/rows.ts';
import { rowBytesMax } from './transfer-row.ts';

const entityOf = (UpdateParams: readonly FieldDefinition[]) => compileEntity({ entityName: 'thing', UpdateParams }, 1);

const thing = entityOf([
  { name: 'a' },
  { name: 'b' },
  { name: 'n', colType: 'number' },
  { name: 'ok', colType: 'boolean' },
  { name: 'any', colType: 'json' },
  { name: 'list', colType: 'array' },
  { name: 'secret', colType: 'encrypted' },
]);

const read = (file: string | Uint8Array, size?: number, entity = thing): Promise<readonly unknown[]> =>
  outcomes(csvRows(pieces(file, size), entity));

for (const [what, file, records] of [
  [
    'lines that end in each of the ways that systems end them',
    'a,b\r\n1,2\n3,4\r5,6',
    [
      { a: '1', b: '2' },
      { a: '3', b: '4' },
      { a: '5', b: '6' },
    ],
  ],
  ['quoted cells', 'a,b\n"x, ""y""\r\n\nz", w ', [{ a: 'x, "y"\r\n\nz', b: ' w ' }].map((one) => one)],
  ['a byte order mark', '\ufeff"a",b\n\ufeffx,é😀', [{ a: '\ufeffx', b: 'é😀' }]],
  ['empty lines', '\n\na,b\n\n\r\n1,2\n\n', [{ a: '1', b: '2' }]],
  ['empty cells, which are as if not sent', 'a,b\n,\n"",x', [{}, { b: 'x' }]],
  ['a header and nothing else', 'a,b', []],
  [
    'typed cells',
    'n,ok,any\n-1.50,true,"{""x"":[1,null]}"\n,false,"""text"""',
    [
      { n: -1.5, ok: true, any: { x: [1, null] } },
      { ok: false, any: 'text' },
    ],
  ],
  [
    'truth values as spreadsheets write them',
    'ok,a\nTRUE,TRUE\nFALSE,x',
    [
      { ok: true, a: 'TRUE' },
      { ok: false, a: 'x' },
    ],
  ],
  ['what the platform sets', 'id,version,created_at,a\nx,3,y,z', [{ id: 'x', version: 3, created_at: 'y', a: 'z' }]],
  ['texts of secrets', 'secret\n1', [{ secret: '1' }]],
  [
    'texts that a spreadsheet would compute',
    "a,b\n=1+1,@x\n-1,'+1",
    [
      { a: '=1+1', b: '@x' },
      { a: '-1', b: "'+1" },
    ],
  ],
] as const)
  test(`CSV with ${what} is read`, async () => {
    for (const size of [1, 2, 3, 1000]) assert.deepEqual(await read(file, size), records);
  });

for (const [what, row, codes] of [
  ['too few cells', '1', ['wrong_length']],
  ['too many cells', '1,2,3,4', ['wrong_length']],
  ['cells of the wrong type', 'x,1,yes', ['wrong_type', 'wrong_type']],
  ['a cell that is no JSON', '1,"{""a"":1,""a"":2}",true', ['invalid_json']],
  ['U+0000', '1,"""\0""",true', ['invalid_character']],
  ['broken UTF-8', Buffer.from([0x31, 0x2c, 0xc3, 0x2c, 0xff]), ['invalid_utf8', 'invalid_utf8']],
] as const)
  test(`a row with ${what} is refused alone`, async () => {
    const file = Buffer.concat(['n,any,ok\n1,1,true\n', row, '\n2,2,false'].map((part) => Buffer.from(part)));
    const [first, last] = [
      { n: 1, any: 1, ok: true },
      { n: 2, any: 2, ok: false },
    ];
    for (const size of [1, 5, 1000]) assert.deepEqual(await read(file, size), [first, codes, last]);
  });

for (const [what, row] of [
  ['a quote inside a cell', '1,x"y'],
  ['more behind a quoted cell', '1,"x"y'],
  ['a quote that is not closed', '1,"x'],
] as const)
  test(`a file ends with a row that has ${what}`, async () => {
    for (const size of [1, 5, 1000])
      assert.deepEqual(await read(`a,b\n1,2\n${row}\n3,4`, size), [{ a: '1', b: '2' }, ['invalid_csv']]);
  });

test('however a file is cut, it is read the same', async () => {
  const character = fc.constantFrom('a', ',', '"', '\r', '\n', '\r\n', '""', 'é', '\ufeff', '\0', ' ');
  const file = fc.array(character, { maxLength: 30 }).map((characters) => `a,b\n${characters.join('')}`);
  const property = fc.asyncProperty(file, fc.integer({ min: 1, max: 10 }), async (text, size) => {
    assert.deepEqual(await read(text, size), await read(text, 1000));
  });
  await fc.assert(property, { numRuns: thinned(500) });
});

for (const [what, header, code] of [
  ['no line', '', 'invalid_request'],
  ['only empty lines', '\r\n\n', 'invalid_request'],
  ['a quote out of place', 'a,"b', 'invalid_request'],
  ['a name without an end', `a,"${'b'.repeat(rowBytesMax)}`, 'invalid_request'],
  ['a name twice', 'a,b,a', 'validation_failed'],
  ['an empty name', 'a,,b', 'validation_failed'],
  ['a blank behind a name', 'a ,b', 'unknown_field'],
  ['an unknown name', 'a,c', 'unknown_field'],
  ['a name of every object', 'a,__proto__,constructor', 'unknown_field'],
  ['a name in UTF-16', '\ufffea\0', 'unknown_field'],
] as const)
  test(`a header with ${what} is refused as a whole`, async () => {
    await assert.rejects(read(header, 4096), { code });
  });

test('a row may have exactly a mebibyte; the file ends with a longer one, whether that ends or not', async () => {
  const filled = (bytes: number) => `${'x'.repeat(bytes - 3)},y\n`;
  const whole = { a: 'x'.repeat(rowBytesMax - 3), b: 'y' };
  const small = { a: '1', b: '2' };
  for (const size of [rowBytesMax * 4, 65_536]) {
    assert.deepEqual(await read(`a,b\n${filled(rowBytesMax)}1,2\n`, size), [whole, small]);
    for (const tooLong of [filled(rowBytesMax + 1), `"${'x'.repeat(rowBytesMax * 2)}`, ','.repeat(rowBytesMax * 2)])
      assert.deepEqual(await read(`a,b\n1,2\n${tooLong}1,2\n`, size), [small, ['too_long']]);
  }
});

test('no more of a row without an end is taken than it may have', async () => {
  let taken = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a,b\n');
    for (; ; taken += 65_536) yield Buffer.alloc(65_536, ',');
  }
  assert.equal((await outcomes(csvRows(endless(), thing))).length, 1);
  assert.ok(taken <= rowBytesMax + 65_536);
});

test('what the file comes from is left when the rows are left, and its failure is theirs', async () => {
  let isLeft = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('a,b\n1,2\n3,4\n');
      throw new Error('gone');
    } finally {
      isLeft = true;
    }
  }
  for await (const { row } of csvRows(source(), thing)) if (row === 1) break;
  assert.ok(isLeft);
  await assert.rejects(outcomes(csvRows(source(), thing)), /gone/);
});

/** Two fields of the same type, and values that they take. */
function fieldsWithValues(colType: string) {
  return fieldOf(colType).chain((field) =>
    fc.record({
      field: fc.constant(field),
      records: fc.array(fc.tuple(storedValues(field), storedValues(field)), { maxLength: 5 }),
    }),
  );
}

/** A value as it is stored, or none. */
function storedValues(field: FieldDefinition): fc.Arbitrary<FieldValue | undefined> {
  const behaviour = behaviourOf(field);
  if (typeof behaviour === 'string') return fc.constant(undefined);
  return valuesFor(field).map((input) => {
    const parsed = behaviour.parse(input);
    return isValueProblem(parsed) || !isExact(parsed.value)
      ? undefined
      : (JSON.parse(JSON.stringify(parsed.value)) as FieldValue);
  });
}

for (const colType of fieldTypes.keys())
  test(`values of the type ${colType} come back from CSV as they went, but for empty texts`, async () => {
    const property = fc.asyncProperty(
      fieldsWithValues(colType),
      fc.integer({ min: 1, max: 20 }),
      async (made, size) => {
        const { field, records } = made;
        const entity = entityOf([
          { ...field, name: 'x' },
          { ...field, name: 'y' },
        ]);
        const behaviour = entity.fields.get('x')?.behaviour;
        assert.ok(behaviour !== undefined);
        const lines = records.map((values) => csvLine(values.map((value) => cellText(behaviour, value))));
        const expected = records.map(([x, y]) => ({ ...sent('x', x, colType), ...sent('y', y, colType) }));
        assert.deepEqual(await read([csvLine(['x', 'y']), ...lines].join(''), size, entity), expected);
      },
    );
    await fc.assert(property);
  });

function sent(name: string, value: FieldValue | undefined, colType: string): object {
  return value === undefined || (value === '' && colType !== 'json') ? {} : { [name]: value };
}

test('a file of very many rows is read to its end', async () => {
  const records = Array.from({ length: 5000 }, (_, index) => ({ n: index }));
  assert.deepEqual(await read(`n\n${records.map(({ n }) => n).join('\n')}`, 65_536), records);
});

test('a line of one empty cell is still a row', async () => {
  assert.deepEqual(await read(csvLine(['a']) + csvLine(['']) + csvLine(['x'])), [{}, { a: 'x' }]);
});
