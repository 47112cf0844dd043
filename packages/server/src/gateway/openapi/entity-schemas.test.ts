import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { readCreate, readUpdate, type StoredRecord } from '../../records/record.ts';
import { type CompiledEntity, compileEntity } from '../../schema/compile-entity.ts';
import type { FieldDefinition } from '../../schema/definition.ts';
import { thinned } from '../../store/testing/quick.ts';
import { entitySchemas } from './entity-schemas.ts';
import { typeNames } from './type-names.ts';

const ajv = new Ajv2020({ strict: true });
addFormats.default(ajv);

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
  'ann@example.com',
  ['open'],
  ['open', 3],
];
const fieldNames = ['a', 'b', 'c'];
const sentNames = [...fieldNames, 'alias'];
const sentTypes: readonly Omit<FieldDefinition, 'name'>[] = [
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
  { colType: 'email' },
  { colType: 'string', pattern: '^[a-z]+$' },
  { colType: 'array', items: { colType: 'enum', enumValues: ['open'] }, minlength: 1 },
  { colType: 'encrypted' },
];
const madeTypes: readonly Omit<FieldDefinition, 'name'>[] = [
  { colType: 'autoincrement' },
  { colType: 'formula', formula: '{id}' },
];
const checks = [{}, { validate: true }, { validate: true, required: false }];

function entityOf(types: readonly Omit<FieldDefinition, 'name'>[]): fc.Arbitrary<CompiledEntity> {
  const hints = fc.tuple(fc.constantFrom(...types), fc.constantFrom(...checks));
  return fc.tuple(fc.array(hints, { minLength: 3, maxLength: 3 }), fc.nat(5)).map(([ofFields, aliased]) => {
    const fields = ofFields.map(([type, check], index) => ({
      name: fieldNames[index] ?? '',
      ...type,
      ...check,
      ...(index === aliased ? { aliases: ['alias'] } : {}),
    }));
    return compileEntity({ entityName: 'thing', UpdateParams: fields }, 1);
  });
}

const body = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...sentNames), fc.constantFrom(...values), { maxKeys: 3 }) },
  fc.dictionary(fc.constantFrom(...sentNames, 'absent', 'id'), fc.constantFrom(...values), { maxKeys: 4 }),
  fc.constantFrom(...values),
);

const stored: StoredRecord = {
  key: { pk: 'p', sk: 's' },
  version: 7,
  data: {
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    created_at: '2026-11-20T09:30:00.000Z',
    updated_at: '2026-11-20T09:30:00.000Z',
    created_by: '01890a5d-ac96-774b-bcce-b302099a8058',
    updated_by: '01890a5d-ac96-774b-bcce-b302099a8058',
  },
};

test('a create takes the very bodies that its schema takes', () => {
  fc.assert(
    fc.property(entityOf([...sentTypes, ...madeTypes]), body, (compiled, sent) => {
      assert.equal(fits(compiled, 'ThingCreate', sent), isTaken(readCreate(compiled, sent)));
    }),
    { numRuns: thinned(300) },
  );
});

test('an update takes the very bodies that its schema takes, where the platform’s fields are sent as they stand', () => {
  const current = fc.constantFrom({}, { id: stored.data.id }, { id: stored.data.id, version: 7 });
  fc.assert(
    fc.property(entityOf(sentTypes), body, current, (compiled, sent, platform) => {
      const whole = isObject(sent) ? { ...sent, ...platform } : sent;
      assert.equal(fits(compiled, 'ThingUpdate', whole), isTaken(readUpdate(compiled, whole, stored)));
    }),
    { numRuns: thinned(300) },
  );
});

test('what the platform makes is read, and what is secret is not', () => {
  const compiled = compileEntity(
    {
      entityName: 'thing',
      UpdateParams: [
        { name: 'made', colType: 'formula', formula: '{id}' },
        { name: 'secret', colType: 'encrypted' },
      ],
    },
    1,
  );
  const schemas = schemasOf(compiled);
  const members = (name: string) =>
    Object.keys(schemas[name]?.properties ?? {}).filter((member) => compiled.fields.has(member));
  assert.deepEqual([members('Thing'), members('ThingCreate')], [['made'], ['secret']]);
});

test('each name of a field is described, and an alias as deprecated', () => {
  const UpdateParams: readonly FieldDefinition[] = [
    { name: 'text', aliases: ['body'], description: 'What was said.' },
    { name: 'order_id', colType: 'guid', lookup: { entity: 'order' }, aliases: ['of'] },
  ];
  const Views = { short: { fields: [{ name: 'body' }, { name: 'body', as: 'shown' }] } };
  const schemas = schemasOf(compileEntity({ entityName: 'thing', UpdateParams, Views }, 1));
  const deprecated = (name: string) =>
    Object.entries(schemas[name]?.properties ?? {}).filter(([, schema]) => schema.deprecated === true);
  for (const name of ['Thing', 'ThingCreate', 'ThingUpdate'])
    assert.deepEqual(
      deprecated(name).map(([member, { description }]) => [member, description]),
      [
        ['body', 'Another name of `text`.'],
        ['of', 'Another name of `order_id`.'],
      ],
    );
  assert.deepEqual(
    deprecated('ThingShort').map(([member]) => member),
    ['body'],
  );
});

test('an update takes what the platform makes as it stands', () => {
  const compiled = compileEntity(
    { entityName: 'thing', UpdateParams: [{ name: 'number', colType: 'autoincrement' }] },
    1,
  );
  const current = { ...stored, data: { ...stored.data, number: 3 } };
  const body = { ...current.data, version: current.version };
  assert.ok(fits(compiled, 'ThingUpdate', body));
  assert.deepEqual(readUpdate(compiled, body, current).errors, []);
});

test('an owner need not be sent, since it defaults to the creator', () => {
  const ownerIndexes = [{ ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};o#{owner_id}', gskTemplate: 'o#{id}' }];
  const UpdateParams = [{ name: 'owner_id', validate: true }];
  const compiled = compileEntity({ entityName: 'thing', UpdateParams, ownerIndexes }, 1);
  assert.ok(fits(compiled, 'ThingCreate', {}));
  assert.deepEqual(readCreate(compiled, {}, stored.data.created_by).errors, []);
});

function schemasOf(entity: CompiledEntity): Readonly<Record<string, JsonSchema>> {
  const shown = new Map(['Thing', 'ThingShort'].map((name) => [name, true]));
  return Object.assign(
    {},
    ...[...typeNames([entity], [])].map((named) =>
      entitySchemas({ ...named, view: 'default', lookedUp: () => 'Other', expansions: () => [] }, shown),
    ),
  );
}

function fits(compiled: CompiledEntity, name: 'ThingCreate' | 'ThingUpdate', sent: unknown): boolean {
  return ajv.validate(schemasOf(compiled)[name] ?? false, sent);
}

/** That two names of a field have one value, no schema says. */
function isTaken({ errors }: ReturnType<typeof readCreate>): boolean {
  fc.pre(!errors.some(({ code }) => code === 'contradiction'));
  return errors.length === 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
