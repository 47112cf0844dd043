import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintsOfType } from '@freehold/contract/field-hints';
import fc from 'fast-check';
import { compareBytes } from '../../lib/byte-order.ts';
import type { FieldDefinition, FieldValue } from '../definition.ts';
import { fieldOf, valuesFor } from '../testing/field-cases/any-field.ts';
import { behaviourOf, type Refused, type Value } from '../testing/field-cases/field-case.ts';
import { otherCases } from '../testing/field-cases/other-cases.ts';
import { textCases } from '../testing/field-cases/text-cases.ts';
import { isPlatformMade, isValueProblem, readValue, type ValueProblem } from './field-type.ts';
import { fieldTypeOf, fieldTypes } from './registry.ts';

const cases = [...textCases, ...otherCases];

for (const { colType, hints, values, texts = [] } of cases) {
  const behaviour = behaviourOf({ name: 'x', colType, ...hints });
  const title = `${colType}${hints === undefined ? '' : ` with ${JSON.stringify(hints)}`}`;
  for (const [input, outcome] of values)
    test(`${title}: the value ${shown(input)} ${describe(outcome)}`, () => {
      const read = readValue(behaviour, hints?.validate === true, input);
      if ('is' in outcome) assert.deepEqual(read, { value: outcome.is });
      else assert.equal('problems' in read && read.problems.map(place).join(', '), outcome.refused);
    });
  for (const [text, outcome] of texts)
    test(`${title}: the query text ${shown(text)} ${describe(outcome)}`, () => {
      assert.ok(behaviour.parseQuery !== undefined);
      const read = behaviour.parseQuery(text);
      if ('is' in outcome) assert.deepEqual(read, { value: outcome.is });
      else assert.equal('code' in read && read.code, outcome.refused);
    });
}

const badHints: readonly FieldDefinition[] = [
  { name: 'x', minlength: 3, maxlength: 2 },
  { name: 'x', colType: 'number', min: 1, max: 0 },
  { name: 'x', colType: 'enum' },
  { name: 'x', colType: 'enum', enumValues: [] },
  { name: 'x', colType: 'enum', enumValues: ['a', 'b', 'a'] },
  { name: 'x', colType: 'encrypted', minlength: 3, maxlength: 2 },
  { name: 'x', colType: 'array', minlength: 3, maxlength: 2 },
  { name: 'x', colType: 'array', items: { colType: 'array' } },
  { name: 'x', colType: 'array', items: { colType: 'encrypted' } },
  { name: 'x', colType: 'array', items: { colType: 'enum' } },
  { name: 'x', colType: 'array', items: { minlength: 3, maxlength: 2 } },
  { name: 'x', colType: 'formula' },
  { name: 'x', colType: 'formula', formula: '{a' },
  { name: 'x', colType: 'formula', formula: 'a}' },
  { name: 'x', colType: 'formula', formula: '{{a}}' },
  { name: 'x', colType: 'formula', formula: 'x'.repeat(1001) },
  { name: 'x', colType: 'formula', formula: '{a}'.repeat(21) },
  { name: 'x', pattern: '(' },
  { name: 'x', pattern: '(?=a)' },
  { name: 'x', pattern: 'x'.repeat(513) },
  { name: 'x', pattern: '(?:.{100}){2}' },
  { name: 'x', pattern: 'a{1001}' },
];

for (const field of badHints)
  test(`the hints ${JSON.stringify(field).slice(0, 100)} are refused`, () => {
    assert.equal(typeof fieldTypeOf(field).behave(field), 'string');
  });

test('every type is entered under its own name and has no word for null', () => {
  for (const [colType, type] of fieldTypes) {
    assert.equal(type.colType, colType);
    for (const input of [null, undefined, Symbol('x'), () => 1])
      assert.ok(isValueProblem(behaviourOf({ name: 'x', colType, enumValues: ['a'], formula: '' }).parse(input)));
  }
});

test('a value that was taken is taken again and stays what it is', () => {
  for (const { colType, hints, values } of cases) {
    const behaviour = behaviourOf({ name: 'x', colType, ...hints });
    for (const [, outcome] of values)
      if ('is' in outcome) assert.deepEqual(behaviour.parse(outcome.is), { value: outcome.is });
  }
});

test('a type that can be filtered on reads the text of each of its values', () => {
  for (const { colType, hints, values } of cases) {
    const behaviour = behaviourOf({ name: 'x', colType, ...hints });
    assert.equal(behaviour.parseQuery === undefined, behaviour.encode === undefined);
    for (const [, outcome] of values)
      if ('is' in outcome && behaviour.parseQuery !== undefined)
        assert.deepEqual(behaviour.parseQuery(String(outcome.is)), { value: outcome.is });
  }
});

for (const colType of fieldTypes.keys())
  test(`index texts of ${colType} fields are in the order of the values`, () => {
    const fieldAndValues = fieldOf(colType).chain((field) =>
      fc.tuple(fc.constant(field), fc.array(valuesFor(field), { maxLength: 10 })),
    );
    const property = fc.property(fieldAndValues, ([field, inputs]) => {
      const behaviour = behaviourOf(field);
      const { encode } = behaviour;
      if (encode === undefined) return;
      const taken = inputs.map(behaviour.parse).flatMap((parsed) => (isValueProblem(parsed) ? [] : [parsed.value]));
      for (const left of taken)
        for (const right of taken)
          assert.equal(Math.sign(compareBytes(encode(left) ?? '', encode(right) ?? '')), order(colType, left, right));
    });
    fc.assert(property);
  });

test('a stored value of another type has no index text', () => {
  const values: readonly FieldValue[] = ['', 'x', 0, 1, true, [], ['x'], {}];
  for (const { colType, hints, values: own } of cases) {
    const { encode } = behaviourOf({ name: 'x', colType, ...hints });
    const types = own.flatMap(([, outcome]) => ('is' in outcome ? [typeof outcome.is] : []));
    for (const value of values) if (!types.includes(typeof value)) assert.equal(encode?.(value), undefined);
  }
});

test('the platform makes formulas and numbers, and what is encrypted is a secret', () => {
  const made = [...fieldTypes.keys()].filter((colType) => {
    const behaviour = behaviourOf({ name: 'x', colType, enumValues: ['a'], formula: '' });
    assert.equal(behaviour.compute !== undefined, behaviour.isComputed === true);
    return isPlatformMade(behaviour);
  });
  assert.deepEqual(made, ['formula', 'autoincrement']);
  const { isSecret, encode, parseQuery, contains } = behaviourOf({ name: 'x', colType: 'encrypted' });
  assert.deepEqual([isSecret, encode, parseQuery, contains], [true, undefined, undefined, undefined]);
});

test('a type says before a field of it is made what such a field does', () => {
  for (const [colType, type] of fieldTypes) {
    const field = { name: 'x', colType, enumValues: ['a'], formula: '' };
    const { parse, parseQuery, contains } = behaviourOf(field);
    assert.equal(type.isOpaque === true, parseQuery === undefined && contains === undefined, colType);
    assert.equal(type.isList === true, type.hints.includes('items'), colType);
    assert.equal(type.example === undefined, isPlatformMade(type), colType);
    if (type.example !== undefined) assert.ok('value' in parse(type.example(field)), colType);
    for (const other of type.takenBy ?? []) assert.ok(fieldTypes.has(other), other);
  }
});

function place({ pointer, code }: ValueProblem): string {
  return pointer === undefined ? code : `${pointer} ${code}`;
}

function shown(input: unknown): string {
  if (Object.is(input, -0)) return '-0';
  return typeof input === 'bigint' || typeof input === 'number'
    ? String(input)
    : (JSON.stringify(input) ?? 'undefined');
}

function describe(outcome: Value | Refused): string {
  return 'is' in outcome ? `is taken as ${JSON.stringify(outcome.is)}` : `is refused as ${outcome.refused}`;
}

function order(colType: string, left: FieldValue, right: FieldValue): number {
  if (colType === 'date' || colType === 'datetime')
    return Math.sign(Date.parse(String(left)) - Date.parse(String(right)));
  if (typeof left === 'string') return Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(String(right))));
  return Math.sign(Number(left) - Number(right));
}

test('clients know the hints of each type', () => {
  assert.deepEqual(
    hintsOfType,
    Object.fromEntries([...fieldTypes.values()].map(({ colType, hints }) => [colType, hints])),
  );
});
