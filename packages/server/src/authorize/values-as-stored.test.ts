import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compilePolicies } from '../access/decide.ts';
import type { ConfigReader } from '../config/config-reader.ts';
import { makeConfigSet } from '../config/config-set.ts';
import { createDecisionLog } from '../iam/decisions/decision-log.ts';
import { Problem } from '../lib/problem.ts';
import type { AppCaller } from '../people/sessions/app-sessions.ts';
import type { NamedPolicyRequest } from '../records/caller-access.ts';
import { authorizeBody } from '../records/port.ts';
import { readCreate } from '../records/record.ts';
import { assertWriteAllowed, recordOfCreate } from '../records/writing/record-checks.ts';
import { type CompiledEntity, compileEntity } from '../schema/compile-entity.ts';
import type { FieldDefinition } from '../schema/definition.ts';
import { newEntityState } from '../schema/entity-state.ts';
import type { CompiledField } from '../schema/field-types/registry.ts';
import { colTypes, fieldOf, valuesFor } from '../schema/testing/any-registered-field.ts';
import { thinned } from '../store/testing/quick.ts';
import type { Workspace } from '../tenancy/workspace.ts';
import { requestAlone } from './authorization-request.ts';
import { authorize } from './authorize.ts';

const userId = '018bcfe5-0000-7000-8000-000000000001';
const now = 1_800_000_000_000;
const clock = { now: () => now };
const everything = { Effect: 'Allow', Action: '*', Resource: '*' };

function configsOf(entity: CompiledEntity): ConfigReader {
  const active = {
    state: newEntityState(entity.definition, 1),
    versions: { create: 1, get: 1, list: 1, update: 1, delete: 1 },
    revision: 1,
  };
  const set = makeConfigSet({
    version: 1,
    entities: new Map([[entity.name, active]]),
    references: new Map(),
    items: new Map(),
    settings: new Map(),
    compile: () => entity,
  });
  return { current: () => set, refresh: async () => set, forget: () => {}, changed: async () => {} };
}

function policyOf(statements: readonly unknown[]) {
  return compilePolicies([{ policyId: 'p', policyName: 'p', via: { kind: 'direct' }, statements }]);
}

/** The gateway's decision on a request, as whether it is let through. */
async function isLetThrough(
  entity: CompiledEntity,
  statements: readonly unknown[],
  {
    body,
    query = '',
    ...rest
  }: Pick<NamedPolicyRequest, 'verb' | 'body'> & { readonly query?: string; readonly isAlone?: true },
): Promise<boolean> {
  const access = policyOf(statements);
  const claims = { sub: userId, org: 'acme', env: 'test', tenant_code: 'main', email: 'u@example.com' };
  const place = { workspace: {} as Workspace, access };
  const caller = { kind: 'person', claims, place } as unknown as AppCaller;
  const configs = configsOf(entity);
  const parts = { configs: { test: configs, prod: configs }, decisions: createDecisionLog(clock) };
  const requester = { caller, requestId: 'r', ip: '127.0.0.1', origin: undefined, time: now };
  const { verb, isAlone } = rest;
  const request = requestAlone({ verb, entityName: entity.name, ...(isAlone ? { body } : {}) });
  try {
    const call = authorizeBody(await authorize(parts, requester, { ...request, query }), body);
    if (verb === 'create') assertWriteAllowed(call, { data: recordOfCreate({ entity, userId, body, now }), body });
    return true;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'access_denied', String(error));
    return false;
  }
}

interface ExpectedTerm {
  readonly operator: string;
  readonly expected: unknown;
}

/** Policies that do the same by a key: a Deny under a condition beside a whole Allow, and an Allow under it alone. */
function policiesOn(key: string, { operator, expected }: ExpectedTerm): readonly (readonly unknown[])[] {
  const Condition = { [operator]: { [key]: expected } };
  return [[everything, { ...everything, Effect: 'Deny', Condition }], [{ ...everything, Condition }]];
}

const operators = [
  ...['StringEquals', 'StringNotEquals', 'StringEqualsIgnoreCase', 'StringLike', 'StringNotLike'],
  ...['Equals', 'NotEquals', 'LessThan', 'GreaterThanEquals'].flatMap((order) => [`Numeric${order}`, `Date${order}`]),
  ...['Bool', 'IpAddress', 'NotIpAddress', 'ForAnyValue:StringEquals', 'ForAllValues:StringEquals'],
  ...['ForAnyValue:NumericLessThan', 'ForAllValues:DateGreaterThan', 'StringEqualsIfExists', 'DateLessThanIfExists'],
];

/** The values that a condition could name beside a value that is sent so and stored so. */
function expectedFor(operator: string, texts: readonly string[]): fc.Arbitrary<unknown> {
  const fixed = operator.includes('Numeric')
    ? ['0', '-1.5', '1000', '9007199254740991']
    : operator.includes('Date')
      ? ['2026-06-01', '2000-01-01T00:00:00Z', '0']
      : operator === 'Bool'
        ? ['true', 'false']
        : operator.includes('Ip')
          ? ['10.0.0.0/8', '::/0']
          : ['', '*', 'a', '1'];
  const readable = texts.filter((text) => isReadable(operator, text));
  return fc.oneof(...[...readable, ...readable, ...fixed].map((text) => fc.constant(text)));
}

function isReadable(operator: string, expected: unknown): boolean {
  const statement = { ...everything, Condition: { [operator]: { 'user.id': expected } } };
  return policyOf([statement]).brokenStatements === 0;
}

function entityOf(field: FieldDefinition): {
  readonly entity: CompiledEntity;
  readonly behaviour: CompiledField['behaviour'];
} {
  const entity = compileEntity({ entityName: 'order', UpdateParams: [field] }, 1);
  const compiled = entity.fields.get(field.name);
  assert.ok(compiled !== undefined);
  return { entity, behaviour: compiled.behaviour };
}

/** Ways to write a value that a type may take for the same one, whatever the type is. */
function spellings(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value, twisted(value)];
  return [value, ...value.map((_, at) => value.map((one, place) => (place === at ? twisted(one) : one)))];
}

function twisted(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return /[A-Z]/.test(value) ? value.toLowerCase() : value.toUpperCase();
}

function textSpellings(value: unknown): readonly string[] {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return [text, text.toUpperCase(), text.toLowerCase(), `${text}.0`, `${text}e0`, `0${text}`, text.replace('-', '-0')];
}

function textsOf(...values: readonly unknown[]): readonly string[] {
  return values.flat().flatMap((one) => (one === null || typeof one === 'object' ? [] : [String(one)]));
}

const runs = thinned(200);

/** The number of times that a value was written otherwise than it is stored. */
interface Tally {
  rewritten: number;
}

/** The outcome of a request with a body by two policies on a key, of which the first denies and the second allows. */
type Decide = (request: {
  readonly entity: CompiledEntity;
  readonly body: { readonly x: unknown };
  readonly isAlone: boolean;
  readonly policies: readonly (readonly unknown[])[];
}) => Promise<readonly boolean[]>;

const decideAtGateway: Decide = ({ entity, body, isAlone, policies }) =>
  Promise.all(
    policies.map((statements) =>
      isLetThrough(entity, statements, { verb: 'create', body, ...(isAlone ? { isAlone } : {}) }),
    ),
  );

function bodyProperty(colType: string, decide: Decide, tally: Tally) {
  const inputs = fieldOf(colType).chain((hints) => {
    const field = { ...hints, name: 'x', validate: false };
    return fc.tuple(fc.constant(field), valuesFor(field), fc.nat({ max: 9 }), fc.constantFrom(...operators));
  });
  const cases = inputs.chain(([field, value, at, operator]) => {
    const ways = spellings(value);
    const sent = ways[at % ways.length];
    const stored = recordOfCreate({ entity: entityOf(field).entity, userId, body: { x: sent }, now }).x;
    const expected = expectedFor(operator, textsOf(sent, stored));
    return fc.tuple(fc.constant({ field, sent, stored, operator }), expected, fc.boolean());
  });
  return fc.asyncProperty(cases, async ([{ field, sent, stored, operator }, expected, isAlone]) => {
    const { entity } = entityOf(field);
    const body = { x: sent };
    fc.pre(readCreate(entity, body).errors.length === 0);
    if (sent !== null && JSON.stringify(sent) !== JSON.stringify(stored)) tally.rewritten += 1;
    const [ofBody, ofRecord] = await Promise.all(
      ['request.body.x', 'record.x'].map((key) =>
        decide({ entity, body, isAlone, policies: policiesOn(key, { operator, expected }) }),
      ),
    );
    assert.deepEqual(ofBody, ofRecord);
  });
}

function isSent({ compute, isNumbered }: CompiledField['behaviour']): boolean {
  return compute === undefined && isNumbered !== true;
}

const behaviours = colTypes.map((colType) => {
  const [field] = fc.sample(fieldOf(colType), { numRuns: 1, seed: 7 });
  return { colType, ...entityOf({ ...field, name: 'x' }) };
});
/** Types of which there is more than one way to write a value. */
const rewritten = ['datetime', 'guid', 'array'];

for (const { colType } of behaviours.filter(({ behaviour }) => isSent(behaviour) && behaviour.isSecret !== true))
  test(`of a ${colType} field \`request.body\` and \`record\` decide alike, however the value is written`, async () => {
    const tally = { rewritten: 0 };
    await fc.assert(bodyProperty(colType, decideAtGateway, tally), { numRuns: runs, seed: 7 });
    assert.equal(tally.rewritten > 0, rewritten.includes(colType), JSON.stringify(tally));
  });

test('a gateway that shows conditions what was sent as it was sent is found out', async () => {
  const decideAsSent: Decide = async ({ entity, body, policies }) =>
    policies.map((statements) => {
      const record = recordOfCreate({ entity, userId, body, now });
      return rulingOn(statements, { body, record }) === 'allowed';
    });
  for (const colType of rewritten) {
    const { failed } = await fc.check(bodyProperty(colType, decideAsSent, { rewritten: 0 }), { numRuns: 500, seed: 7 });
    assert.ok(failed, colType);
  }
});

function rulingOn(
  statements: readonly unknown[],
  { body, record }: { readonly body?: unknown; readonly record: Readonly<Record<string, unknown>> },
): string {
  const request = {
    method: 'POST',
    path: '/create/order',
    pathParameters: {},
    queryParameters: new Map(),
    ip: '',
    time: now,
  };
  const context = {
    request: { ...request, body },
    user: { id: userId, email: '' },
    tenant: { id: '', code: '' },
    jwt: {},
  };
  return policyOf(statements).rule('createorder', '/create/order', () => ({ ...context, record })).outcome;
}

function queryProperty(colType: string, tally: Tally) {
  const inputs = fieldOf(colType).chain((hints) => {
    const field = { ...hints, name: 'x', validate: false };
    const texts = valuesFor(field).chain((value) => fc.constantFrom(...textSpellings(value)));
    return fc.tuple(fc.constant(field), texts, fc.constantFrom(...operators));
  });
  const cases = inputs.chain(([field, text, operator]) => {
    const parsed = entityOf(field).behaviour.parseQuery?.(text);
    const value = parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
    return fc.tuple(fc.constant({ field, text, value, operator }), expectedFor(operator, textsOf(text, value ?? '')));
  });
  const comparisons = fc.constantFrom('', '&x_op=eq', '&x_op=ne', '&x_op=gte', '&x_op=lt', '&x_op=in');
  return fc.asyncProperty(cases, comparisons, async ([{ field, text, value, operator }, expected], comparison) => {
    fc.pre(value !== undefined && !text.includes('\0') && text.isWellFormed());
    fc.pre(!(comparison.endsWith('in') && text.includes(',')));
    const { entity } = entityOf(field);
    if (typeof value !== 'string' || text !== value) tally.rewritten += 1;
    const query = `x=${encodeURIComponent(text)}${comparison}`;
    const ofQuery = await Promise.all(
      policiesOn('request.queryParameters.x', { operator, expected }).map((statements) =>
        isLetThrough(entity, statements, { verb: 'list', query }),
      ),
    );
    const ofRecord = policiesOn('record.x', { operator, expected }).map(
      (statements) => rulingOn(statements, { record: { x: value } }) === 'allowed',
    );
    assert.deepEqual(ofQuery, ofRecord);
  });
}

for (const { colType } of behaviours.filter(({ behaviour }) => behaviour.parseQuery !== undefined))
  test(`of a ${colType} field \`request.queryParameters\` and \`record\` decide alike, however it is asked for`, async () => {
    const tally = { rewritten: 0 };
    await fc.assert(queryProperty(colType, tally), { numRuns: runs, seed: 7 });
    const isRewritten = ['number', 'integer', 'boolean', 'datetime', 'guid', 'autoincrement'].includes(colType);
    assert.equal(tally.rewritten > 0, isRewritten, JSON.stringify(tally));
  });

const { entity: order } = entityOf({ name: 'x' });
const ref = '018bcfe5-6800-7000-8000-00000000000a';

const shop = compileEntity(
  {
    entityName: 'order',
    UpdateParams: [
      { name: 'at', colType: 'datetime', index: true },
      { name: 'ref', colType: 'guid', index: true },
      { name: 'owner_id', colType: 'guid' },
      { name: 'parent_id', colType: 'guid' },
      { name: 'amount', colType: 'number', index: true },
      { name: 'done', colType: 'boolean' },
      { name: 'status', colType: 'enum', enumValues: ['open', 'closed'], default: 'closed' },
      { name: 'title', search: true },
      { name: 'days', colType: 'array', items: { colType: 'datetime' } },
    ],
    ownerIndexes: [{ ownerFieldName: 'owner_id', gpkTemplate: 'o#{owner_id}', gskTemplate: '{id}' }],
  },
  1,
);

const denied: readonly (readonly [
  requested: string,
  query: string,
  operator: string,
  key: string,
  expected: unknown,
])[] = [
  ['a number with an exponent', 'amount=1e3', 'NumericGreaterThanEquals', 'amount', 1000],
  ['a number in a list', 'amount=1,1e3&amount_op=in', 'NumericGreaterThanEquals', 'amount', 1000],
  ['a number among several', 'amount=1,1e3&amount_op=in', 'ForAnyValue:NumericGreaterThanEquals', 'amount', 1000],
  ['an end of a range', 'amount=1,1e3&amount_op=between', 'ForAnyValue:NumericGreaterThanEquals', 'amount', 1000],
  ['a time in another zone', 'at=2026-06-01T01:00:00%2B01:00&at_op=gte', 'DateGreaterThan', 'at', '2026-05-31'],
  ['a time in small letters', 'at=2026-06-01t00:00:00z', 'DateGreaterThan', 'at', '2026-01-01'],
  ['a time of an unknown zone', 'at=2026-06-01T00:00:00-00:00', 'DateGreaterThan', 'at', '2026-01-01'],
  ['a part of a time', 'at=2026&at_op=startswith', 'DateGreaterThan', 'at', '2026-01-01'],
  ['a part of a number', 'amount=5&amount_op=contains', 'NumericGreaterThan', 'amount', 1000],
  ['that there is a time', 'at=true&at_op=exists', 'DateGreaterThan', 'at', '2026-01-01'],
  ['an id in capitals', `ref=${ref.toUpperCase()}`, 'StringEquals', 'ref', ref],
  ['an id in a list', `ref=${ref.toUpperCase()},${userId}&ref_op=in`, 'ForAnyValue:StringEquals', 'ref', ref],
  ['an owner in capitals', `owner=${ref.toUpperCase()}`, 'StringEquals', 'owner', ref],
  ['a parent in capitals', `parent_id=${ref.toUpperCase()}`, 'StringEquals', 'parent_id', ref],
  ['an element', 'days=2026-06-01T01:00:00%2B01:00&days_op=contains', 'DateEquals', 'days', '2026-06-01'],
  ['words in capitals', 'q=SECR%C3%89T', 'StringLike', 'q', '*secret*'],
  ['a page size with a zero', 'pagesize=050', 'StringEquals', 'pagesize', '50'],
  ['a page size with a `$`', '$pagesize=50', 'StringEquals', 'pagesize', '50'],
  ['an owner with a `$`', `$owner=${ref.toUpperCase()}`, 'StringEquals', 'owner', ref],
  [
    'a creation time in another zone',
    'created_at=2026-06-01T01:00:00%2B01:00',
    'DateLessThan',
    'created_at',
    '1999-01-01',
  ],
];

for (const [requested, query, operator, key, expected] of denied)
  test(`a Deny with ${operator} on the query is not evaded by ${requested}`, async () => {
    const [deny = []] = policiesOn(`request.queryParameters.${key}`, { operator, expected });
    for (const verb of ['list', 'count'] as const) assert.equal(await isLetThrough(shop, deny, { verb, query }), false);
    assert.equal(await isLetThrough(shop, [everything], { verb: 'list', query }), true);
  });

test('what is left out has no value in the body, and its default in the record', async () => {
  const [deny = []] = policiesOn('request.body.status', { operator: 'StringEquals', expected: 'closed' });
  const [denyRecord = []] = policiesOn('record.status', { operator: 'StringEquals', expected: 'closed' });
  for (const [body, ofBody, ofRecord] of [
    [{}, true, false],
    [{ status: null }, true, true],
    [{ status: 'closed' }, false, false],
    [{ status: 'open' }, true, true],
  ] as const) {
    assert.equal(await isLetThrough(shop, deny, { verb: 'create', body }), ofBody, JSON.stringify(body));
    assert.equal(await isLetThrough(shop, denyRecord, { verb: 'create', body }), ofRecord, JSON.stringify(body));
  }
});

test('a body that the entity would refuse is judged as it is', async () => {
  const [deny = []] = policiesOn('request.body.at', { operator: 'DateGreaterThan', expected: '2026-01-01' });
  for (const at of ['soon', 5, {}, [], true]) {
    const isLet = await isLetThrough(shop, deny, { verb: 'update', body: { at, nothing: 1 } });
    assert.equal(isLet, at === 5 || (Array.isArray(at) && at.length === 0), JSON.stringify(at));
  }
  for (const body of [[], 'x', null, 5]) assert.equal(await isLetThrough(order, deny, { verb: 'create', body }), true);
});
