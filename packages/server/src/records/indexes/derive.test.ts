import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from '../../lib/byte-order.ts';
import { type CompiledEntity, compileEntity } from '../../schema/compile-entity.ts';
import type { EntityDefinition, FieldValue } from '../../schema/definition.ts';
import { isValueProblem } from '../../schema/field-types/field-type.ts';
import { fieldTypes } from '../../schema/field-types/registry.ts';
import { fieldOf, valuesFor } from '../../schema/testing/field-cases/any-field.ts';
import { thinned } from '../../store/testing/quick.ts';
import type { RecordData } from '../record.ts';
import { derive, groupPartition, sentinelKey } from './derive.ts';

const ids = ['018bcfe5-6800-7000-8000-000000000000', '018bcfe5-6800-7000-8000-00000000000a'] as const;
const id = fc.constantFrom(...ids);

function recordOf(fields: Readonly<Record<string, FieldValue | undefined>>, of: string = ids[0]): RecordData {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { ...given, id: of, created_at: '', updated_at: 'now', created_by: '', updated_by: '' } as RecordData;
}

/** The way values of a type are ordered by those who use them, said without looking at how they are encoded. */
function orderOf(colType: string, left: FieldValue, right: FieldValue): number {
  switch (colType) {
    case 'number':
    case 'integer':
    case 'autoincrement':
    case 'boolean':
      return Math.sign(Number(left) - Number(right));
    case 'date':
    case 'datetime':
      return Math.sign(Date.parse(String(left)) - Date.parse(String(right)));
    default:
      return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  }
}

const indexable = [...fieldTypes.keys()].filter((colType) => {
  return fieldTypes.get(colType)?.encode !== undefined;
});

/** A definition with the field `x`, and two values that its records may have. */
const fieldAndValues = (colType: string) =>
  fieldOf(colType).chain((field) => {
    const parse = fieldTypes.get(colType)?.behave(field);
    // U+0000 and halves of surrogate pairs get past no body.
    const isText = (input: unknown): boolean =>
      typeof input !== 'string' || (input.isWellFormed() && !input.includes('\0'));
    const stored = valuesFor(field)
      .filter(isText)
      .map((input): FieldValue | undefined => {
        const parsed = typeof parse === 'object' ? parse.parse(input) : undefined;
        return parsed === undefined || isValueProblem(parsed) ? undefined : parsed.value;
      });
    return fc.record({ field: fc.constant(field), left: stored, right: stored });
  });

test('every type with an order can be indexed', () => {
  assert.deepEqual(indexable.toSorted(), [
    ...['autoincrement', 'boolean', 'date', 'datetime', 'email', 'enum', 'formula', 'guid', 'integer', 'number'],
    ...['string', 'url'],
  ]);
});

for (const colType of indexable)
  test(`entries in an index on a field of type ${colType} are in the order of its values, equal ones in that of the ids`, () => {
    const property = fc.property(fieldAndValues(colType), id, id, ({ field, left, right }, leftId, rightId) => {
      const entity = compiled({ UpdateParams: [{ ...field, index: true }], ...byX });
      const entries = [recordOf({ x: left, folder: 'f' }, leftId), recordOf({ x: right, folder: 'f' }, rightId)].map(
        (data) => derive(entity, data).entries.filter(({ pk }) => pk.includes(';field#x') || pk.includes(';by#x')),
      );
      const byValue =
        left === undefined || right === undefined
          ? Number(left !== undefined) - Number(right !== undefined)
          : orderOf(colType, left, right);
      const expected = byValue === 0 ? compareBytes(leftId, rightId) : byValue;
      const [ofLeft = [], ofRight = []] = entries;
      assert.equal(ofLeft.length, 2);
      for (const [index, entry] of ofLeft.entries()) {
        assert.equal(entry.pk, ofRight[index]?.pk);
        assert.equal(Math.sign(compareBytes(entry.sk, ofRight[index]?.sk ?? '')), Math.sign(expected));
      }
    });
    fc.assert(property, { numRuns: thinned(400) });
  });

/** A parent index that can be listed by the field `x` too. */
const byX = {
  parentIndex: { parentFieldName: 'folder', gpkTemplate: 'org#{org};f#{folder}', gskTemplate: '{x}#{id}' },
};

function compiled(definition: Partial<EntityDefinition>): CompiledEntity {
  const { UpdateParams = [] } = definition;
  return compileEntity({ entityName: 'a', ...definition, UpdateParams: [...UpdateParams, { name: 'folder' }] }, 1);
}

const nasty = fc
  .array(fc.constantFrom('a', 'b', '#', ';', '%', '%23', '%~', '\u0001', 'é', 'by#rank', 'x'.repeat(400)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((pieces) => pieces.join(''));

test('no two values, and no two indexes, share a partition', () => {
  const owner = (ownerFieldName: string) => ({
    ownerFieldName,
    gpkTemplate: `org#{org};o#{${ownerFieldName}}`,
    gskTemplate: '{rank}#{id}',
  });
  const { indexes } = compiled({
    UpdateParams: [{ name: 'rank', index: true }, { name: 'by' }, { name: 'x' }],
    ownerIndexes: [owner('by'), owner('x')],
    ...byX,
  });
  const grouping = fc.constantFrom(...indexes.filter(({ group }) => group !== undefined));
  // Two values that are close to each other: what could be taken for an order, and what is cut off.
  const close = fc.tuple(nasty, fc.constantFrom('', 'by#rank;', 'by#x;', 'a'), fc.constantFrom('', 'a', '#', 'é'));
  const property = fc.property(grouping, grouping, close, (index, other, [value, before, behind]) => {
    const otherValue = before + value + behind;
    const isSame = index === other && value === otherValue;
    assert.equal(groupPartition(index, value) === groupPartition(other, otherValue), isSame);
  });
  fc.assert(property, { numRuns: thinned(20_000) });
});

test('a value that can stand in no key has no partition, and its record is in no group', () => {
  const entity = compiled(byX);
  for (const folder of ['', true, ['a'], { a: 1 }, undefined]) {
    assert.equal(groupPartition({ pk: 'p' }, folder), undefined);
    const grouped = derive(entity, recordOf({ folder })).entries.filter(({ pk }) => pk.includes(';parent#'));
    assert.deepEqual(grouped, []);
  }
});

test('a unique index notes two records at one place only where all of their values are equal', () => {
  const definition = {
    UpdateParams: [{ name: 'x' }, { name: 'y' }, { name: 'z', colType: 'number' }],
    UniqueIndexes: [
      { indexName: 'exact', fields: ['x', 'y', 'z'] },
      { indexName: 'folded', fields: ['x', 'y', 'z'], ignoreCase: true },
    ],
  };
  const [exact, folded] = compiled(definition).uniques;
  assert.ok(exact !== undefined && folded !== undefined);
  const text = fc.option(fc.string({ unit: fc.constantFrom('a', 'A', '"', ',', '\\', 'É', 'é', 'ß'), maxLength: 3 }), {
    nil: undefined,
  });
  const number = fc.option(fc.constantFrom(0, 1, -1, 0.1), { nil: undefined });
  const record = fc.record({ x: text, y: text, z: number });
  // A record and itself, another, or one into whose `y` the end of `x` has moved.
  const pair = fc.tuple(record, record, fc.nat({ max: 4 })).map(([left, other, moved]) => {
    if (moved === 4) return [left, other] as const;
    const text = `${left.x ?? 'A,'}${left.y ?? ',a'}`;
    const right = { ...left, x: text.slice(0, moved), y: text.slice(moved) };
    return [{ ...left, x: text.slice(0, 2), y: text.slice(2) }, right] as const;
  });
  const asciiLower = (value: unknown) =>
    String(value).replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
  const property = fc.property(pair, ([left, right]) => {
    const isWhole = (one: object) => Object.values(one).every((value) => value !== undefined);
    for (const [unique, spell] of [
      [exact, String],
      [folded, asciiLower],
    ] as const) {
      const [one, other] = [sentinelKey(unique, recordOf(left)), sentinelKey(unique, recordOf(right))];
      assert.deepEqual([one !== undefined, other !== undefined], [isWhole(left), isWhole(right)]);
      const isEqual = (['x', 'y', 'z'] as const).every((name) => spell(left[name]) === spell(right[name]));
      if (one !== undefined && other !== undefined) assert.equal(one.sk === other.sk, isEqual);
    }
    assert.notEqual(exact.pk, folded.pk);
  });
  fc.assert(property, { numRuns: thinned(5000) });
});

test('a record has each of its entries once, and none is made of a value that is missing or of another type', () => {
  const names = ['x', 'folder', 'words'];
  const entity = compiled({
    UpdateParams: [
      { name: 'x', colType: 'integer', index: true },
      { name: 'words', search: true, index: true },
    ],
    ...byX,
  });
  const value = fc.oneof(nasty, fc.integer(), fc.boolean(), fc.constant(['a', 1]), fc.constant('one two one'));
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  const property = fc.property(fields, (given) => {
    const keys = derive(entity, recordOf(given as Readonly<Record<string, FieldValue>>)).entries.map(
      ({ pk, sk }) => `${pk}\0${sk}`,
    );
    assert.equal(new Set(keys).size, keys.length);
    // A digest may spell anything.
    for (const key of keys) assert.doesNotMatch(key.replace(/%~[\w-]{43}/g, ''), /undefined|null|NaN|\[object /);
  });
  fc.assert(property, { numRuns: thinned(2000) });
});
