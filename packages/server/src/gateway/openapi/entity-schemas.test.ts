import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { type CompiledEntity, compileEntity } from '../../entities/compile-entity.ts';
import type { FieldDefinition } from '../../entities/definition.ts';
import { readCreate, readUpdate, type StoredRecord } from '../../entities/record.ts';
import { entitySchemas } from './entity-schemas.ts';

const ajv = new Ajv2020({ strict: true });
addFormats.default(ajv);
const names = { record: 'Record', create: 'Create', update: 'Update', page: 'Page' };

/** Values of which each type takes some. */
const values = [
  'text',
  '',
  '12345678',
  0,
  3,
  2.5,
  -7,
  true,
  false,
  null,
  [],
  {},
  '2026-11-20',
  '2026-11-20T09:30:00Z',
  'https://example.com/',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  'open',
];
const fieldNames = ['a', 'b', 'c'];
const hints: readonly Omit<FieldDefinition, 'name'>[] = [
  {},
  { minlength: 1, maxlength: 5 },
  { colType: 'number', min: 0, max: 3 },
  { colType: 'integer', max: 2 },
  { colType: 'boolean' },
  { colType: 'date' },
  { colType: 'datetime' },
  { colType: 'url' },
  { colType: 'guid' },
  { colType: 'enum', enumValues: ['open', 'done'] },
  { colType: 'json' },
  { colType: 'enum', enumValues: ['open', 'done'], default: 'open' },
  { colType: 'json', default: [] },
];
const field = fc.record({
  hints: fc.constantFrom(...hints),
  checks: fc.constantFrom({}, { validate: true }, { validate: true, required: false }),
});
const entity = fc.tuple(field, field, field).map((fields) =>
  compileEntity(
    {
      entityName: 'thing',
      UpdateParams: fields.map(({ hints, checks }, index) => ({
        name: fieldNames[index] ?? '',
        ...hints,
        ...checks,
      })),
    },
    1,
  ),
);
const body = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...fieldNames), fc.constantFrom(...values), { maxKeys: 3 }) },
  fc.dictionary(fc.constantFrom(...fieldNames, 'nobody', 'id'), fc.constantFrom(...values), { maxKeys: 4 }),
  fc.constantFrom(...values),
);

const stored: StoredRecord = {
  key: { pk: 'p', sk: 's' },
  version: 7,
  data: { id: '01890a5d-ac96-774b-bcce-b302099a8057', created_at: '2026-11-20T09:30:00.000Z' },
};

test('a create takes the very bodies that its schema takes', () => {
  fc.assert(
    fc.property(entity, body, (compiled, sent) => {
      assert.equal(fits(compiled, 'create', sent), 'changes' in readCreate(compiled, sent));
    }),
    { numRuns: 300 },
  );
});

test('an update takes the very bodies that its schema takes, where the platform’s fields are sent as they stand', () => {
  const standing = fc.constantFrom({}, { id: stored.data.id }, { id: stored.data.id, version: 7 });
  fc.assert(
    fc.property(entity, body, standing, (compiled, sent, platform) => {
      const whole = isObject(sent) ? { ...sent, ...platform } : sent;
      assert.equal(fits(compiled, 'update', whole), 'changes' in readUpdate(compiled, whole, stored));
    }),
    { numRuns: 300 },
  );
});

test('what the platform makes is read and never sent, and what is secret is sent and never read', () => {
  const compiled = compileEntity({ entityName: 'thing', UpdateParams: [{ name: 'made' }, { name: 'secret' }] }, 1);
  const [made, secret] = [...compiled.fields.values()];
  assert.ok(made !== undefined && secret !== undefined);
  const fields = new Map([
    ['made', { ...made, required: true, behaviour: { ...made.behaviour, compute: () => 'x' } }],
    ['secret', { ...secret, required: true, behaviour: { ...secret.behaviour, isSecret: true as const } }],
  ]);
  const schemas = entitySchemas({ entity: { ...compiled, fields }, names });
  const members = (name: string) => Object.keys(schemas[name]?.properties ?? {}).filter((member) => fields.has(member));
  assert.deepEqual([members('Record'), members('Create'), members('Update')], [['made'], ['secret'], ['secret']]);
  assert.deepEqual(schemas.Create?.required, ['secret']);
});

function fits(compiled: CompiledEntity, name: 'create' | 'update', sent: unknown): boolean {
  return ajv.validate(entitySchemas({ entity: compiled, names })[names[name]] ?? false, sent);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
