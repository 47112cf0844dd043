import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { assertWhere, meetsWhere } from '../../lib/where.ts';
import type { FieldDefinition } from '../../schema/definition.ts';
import { compileEntity, newEntityState, readValue } from '../../schema/port.ts';
import { thinned } from '../../store/testing/quick.ts';
import { dataOf } from '../record.ts';
import { holdingAny, refusedByAny } from './refused-values.ts';
import { questionRecord, storedEntity } from './testing/random-questions.ts';

const hints: fc.Arbitrary<Omit<FieldDefinition, 'name'>> = fc.constantFrom(
  ...[{}, { pattern: '^a' }, { minlength: 2 }, { maxlength: 3 }, { lookup: { entity: 'order' } }],
  ...['number', 'integer'].flatMap((colType) => [{ colType }, { colType, min: 1 }, { colType, max: 1.5 }]),
  ...['boolean', 'date', 'datetime', 'guid', 'email', 'url', 'json', 'array'].map((colType) => ({ colType })),
  { colType: 'enum', enumValues: ['open', 'a', '12'] },
);
const names = ['caption', 'state', 'owner', 'minutes', 'paid', 'due', 'at', 'tags', 'extra', 'gone'];
const fields = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom(...names), hints, fc.boolean(), fc.boolean())
    .map(([name, more, validate, required]) => ({ name, ...more, validate, required })),
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);

test('what may be refused is all that a definition refuses', () => {
  const seen = { refused: 0, taken: 0, leftOut: 0 };
  const property = fc.property(fields, questionRecord, (UpdateParams, text) => {
    const definition = { entityName: 'order', UpdateParams };
    const entity = compileEntity(definition, 3, newEntityState(definition, 3));
    const data = dataOf(entity, { value: text });
    const isRefused = [...entity.fields.values()].some(({ name, required, behaviour, definition: { validate } }) => {
      const value = data[name];
      if (value === undefined) return required;
      const read = readValue(behaviour, validate === true, value);
      return 'problems' in read || !isDeepStrictEqual(read.value, value);
    });
    const where = refusedByAny(entity, [...entity.fields.keys()]);
    assertWhere(where);
    const mayBe = meetsWhere(where, JSON.parse(text));
    if (isRefused) assert.ok(mayBe, 'a record that is refused is left out');
    seen[isRefused ? 'refused' : 'taken'] += 1;
    if (!mayBe) seen.leftOut += 1;
  });
  const numRuns = thinned(10_000);
  fc.assert(property, { numRuns });
  for (const count of Object.values(seen)) assert.ok(count > 0.03 * numRuns, JSON.stringify(seen));
});

test('what has a value of some field is asked for by where it is stored, and all records where that is not known', () => {
  const holds = (fieldNames: readonly string[], record: object) =>
    meetsWhere(holdingAny(storedEntity, fieldNames), record);
  assert.deepEqual([holds(['title'], { caption: 'a' }), holds(['title'], { title: 'a' })], [true, false]);
  assert.deepEqual(
    [holds(['title', 'paid'], { paid: false }), holds(['size'], {}), holds(['code'], {})],
    [true, true, true],
  );
});
