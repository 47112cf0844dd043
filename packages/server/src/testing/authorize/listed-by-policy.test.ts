import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { AccessContext } from '../../access/context/context.ts';
import { type CompiledAccess, compilePolicies } from '../../access/decide.ts';
import { requestAlone } from '../../authorize/authorization-request.ts';
import { authorize } from '../../authorize/authorize.ts';
import { createDecisionLog } from '../../iam/decisions/decision-log.ts';
import { Problem } from '../../lib/problem.ts';
import type { AppTokenClaims } from '../../people/app-tokens.ts';
import type { AppCaller } from '../../people/sessions/app-sessions.ts';
import type { AuthorizedCall } from '../../records/caller-access.ts';
import { exportRecords } from '../../records/import-export/export-records.ts';
import { presentationOf, presentRecords } from '../../records/present-records.ts';
import type { RecordData } from '../../records/record.ts';
import { policyWith } from '../../records/record-policy.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, listQuery, type Node, openBench, type RecordBench, user } from '../record-bench.ts';

const recordsOfTest = 30;
const owners = [user, 'ann', 'bob'];
const titles = ['a', 'ab', 'b', 'B', ''];

interface Fixture {
  readonly bench: RecordBench;
  readonly node: Node;
  readonly records: readonly RecordData[];
}

async function worldOf(context: TestContext, kind: 'memory' | 'sqlite'): Promise<Fixture> {
  const bench = await openBench(context, kind);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'order',
    UpdateParams: [
      { name: 'owner_id', index: true },
      { name: 'title', index: true, search: true },
      { name: 'n', colType: 'integer', index: true },
      { name: 'yes', colType: 'boolean', index: true },
      { name: 'tags', colType: 'array', items: { colType: 'string' } },
    ],
  });
  const call = await node.call('order');
  for (let index = 0; index < recordsOfTest; index++) {
    bench.clock.advance(1);
    const owner = index % 4 === 3 ? null : owners[index % 4];
    const title = index % 6 === 5 ? null : titles[index % 6];
    const tags = index % 3 === 0 ? [] : ['x', `${index % 2}`].slice(0, index % 3);
    await node.runtime.create(call, { owner_id: owner, title, n: index % 7, yes: index % 2 === 0, tags });
  }
  return { bench, node, records: await listAll(node, call) };
}

const userId = '$' + '{user.id}';
const conditions = (ids: readonly string[]) =>
  fc.constantFrom<Readonly<Record<string, unknown>> | undefined>(
    undefined,
    { StringEquals: { 'record.owner_id': userId } },
    { StringEquals: { 'record.owner_id': userId, 'record.title': 'a' } },
    { StringEquals: { 'record.OWNER_ID': 'ann' } },
    { StringEquals: { 'record.owner_id': ['ann', 'bob'] } },
    { StringNotEquals: { 'record.owner_id': 'ann' } },
    { StringEquals: { 'record.n': '3' } },
    { StringEquals: { 'record.yes': 'true' } },
    { StringEquals: { 'record.title': '' } },
    { StringEquals: { 'record.tags': 'x' } },
    { 'ForAnyValue:StringEquals': { 'record.tags': 'x' } },
    { NumericLessThan: { 'record.n': '4' }, StringLike: { 'record.title': 'a*' } },
    { Null: { 'record.owner_id': 'true' } },
    { StringEquals: { 'request.pathParameters.id': ids[0] } },
    { StringEquals: { 'request.method': 'GET' } },
    { StringEquals: { 'request.queryParameters.sortby': 'n' } },
  );

function statements(ids: readonly string[]) {
  const statement = fc.record({
    Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
    Action: fc.constantFrom('*', 'list*', 'listorder', 'get*', 'getorder', 'count*', ['list*', 'count*', 'get*']),
    Resource: fc.constantFrom('*', '*', '/list/order', '/item/order/*', `/item/order/${ids[1]}`, `/item/*/${ids[2]}`),
    Condition: conditions(ids),
    Fields: fc.constantFrom(undefined, undefined, ['title'], ['!title'], ['o*', 'n'], ['tags', '!o*'], ['!*']),
  });
  const present = (one: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined));
  return fc.array(statement, { minLength: 1, maxLength: 5 }).map((all) => all.map(present));
}

const claims = { sub: user, org: 'acme', env: 'test', tenant_code: 'main', email: 'u@example.com', role: '' };
const time = 1_800_000_000_000;

async function callOf({ bench, node }: Fixture, access: CompiledAccess, verb: 'list' | 'count', query = '') {
  const { workspace, clock } = bench;
  const caller = { claims: claims as unknown as AppTokenClaims, place: { workspace, access } } as AppCaller;
  const parts = { configs: { test: node.configs, prod: node.configs }, decisions: createDecisionLog(clock) };
  const request = { ...requestAlone({ verb: 'list', entityName: 'order' }), action: `${verb}order`, verb, query };
  const resource = `/${verb}/order`;
  return authorize(
    parts,
    { caller, requestId: 'r', ip: '127.0.0.1', origin: undefined, time },
    { ...request, resource },
  );
}

/** The request that is about one record, with all that is to be known of it. */
function contextWith(record: RecordData, path: string, id: string | undefined, query = ''): AccessContext {
  const { version, ...data } = record as RecordData & { version?: unknown };
  return {
    request: {
      method: 'GET',
      path,
      pathParameters: id === undefined ? { entity: 'order' } : { entity: 'order', id },
      queryParameters: new Map(new URLSearchParams(query)),
      ip: '127.0.0.1',
      time,
    },
    user: { id: user, email: claims.email },
    tenant: { id: 'id of main', code: 'main' },
    jwt: claims,
    record: data,
  };
}

/** The fields that a list shows of a record; undefined where it does not show it. */
function fieldsShown(policies: readonly unknown[], verb: 'list' | 'count', record: RecordData, query = '') {
  const all = policyOf(policies);
  const own = all.rule(`${verb}order`, `/${verb}/order`, () => contextWith(record, `/${verb}/order`, undefined, query));
  const path = `/item/order/${record.id}`;
  const denies = policyOf([{ Effect: 'Allow', Action: '*', Resource: '*' }, ...policies]);
  const get = denies.rule('getorder', path, () => contextWith(record, path, record.id));
  if (own.outcome !== 'allowed' || get.outcome === 'explicit_deny') return undefined;
  const names = ['owner_id', 'title', 'n', 'yes', 'tags', 'created_by', 'updated_by'].filter((name) => name in record);
  return names.filter((name) => own.fields?.has(name) !== false && get.fields?.has(name) !== false);
}

function policyOf(statements: readonly unknown[]): CompiledAccess {
  return compilePolicies([{ policyId: 'p', policyName: 'p', via: { kind: 'direct' }, statements }]);
}

async function shownBy(node: Node, call: AuthorizedCall, parameters: Readonly<Record<string, string>>) {
  const shown: RecordData[] = [];
  let nexttoken: string | null = null;
  do {
    const query = listQuery(call, { ...parameters, ...(nexttoken === null ? {} : { nexttoken }) });
    const page = await node.runtime.list(call, query);
    for (const text of await presentRecords(call, presentationOf(call, 'list'), page.items))
      shown.push(JSON.parse(text) as RecordData);
    nexttoken = page.nexttoken;
  } while (nexttoken !== null);
  return shown;
}

const envelope = ['id', 'version', 'created_at', 'updated_at'];
const fieldsOf = (record: RecordData) => Object.keys(record).filter((name) => !envelope.includes(name));

async function assertListed(fixture: Fixture, policies: readonly unknown[], pageSize: number): Promise<number> {
  const { node, records } = fixture;
  const access = policyOf(policies);
  for (const sortby of ['created_at', 'n']) {
    const parameters = { sortby, pagesize: `${pageSize}`, sortdir: 'asc' };
    const query = `sortby=${sortby}`;
    const listed = await refusable(callOf(fixture, access, 'list', query));
    const wanted = new Map(
      records.flatMap((record) => {
        const fields = fieldsShown(policies, 'list', record, query);
        return fields === undefined ? [] : [[record.id, fields.toSorted()] as const];
      }),
    );
    if (listed === undefined) {
      assert.equal(wanted.size, 0);
      return 0;
    }
    const shown = await shownBy(node, listed, parameters);
    assert.deepEqual(new Map(shown.map((one) => [one.id, fieldsOf(one).toSorted()])), wanted);
    assert.equal(shown.length, wanted.size);
    const { rows } = listed;
    const unhinted = { ...listed, rows: rows && policyWith(rows, { equalities: [] }) };
    assert.deepEqual(await shownBy(node, unhinted, parameters), shown);
  }
  return records.filter((record) => fieldsShown(policies, 'list', record) !== undefined).length;
}

/** Undefined for what is denied without a look at any record. */
async function refusable(call: Promise<AuthorizedCall>): Promise<AuthorizedCall | undefined> {
  return call.catch((error: unknown) => {
    assert.ok(error instanceof Problem && error.code === 'access_denied', String(error));
    return undefined;
  });
}

for (const [kind, numRuns] of [
  ['memory', 300],
  ['sqlite', 40],
] as const)
  test(`a list under any policy holds what is allowed record by record, in any pages: ${kind}`, async (context) => {
    const fixture = await worldOf(context, kind);
    const ids = fixture.records.map(({ id }) => id);
    const seen = { none: 0, some: 0, all: 0 };
    await fc.assert(
      fc.asyncProperty(statements(ids), fc.integer({ min: 1, max: 40 }), async (policies, pageSize) => {
        const found = await assertListed(fixture, policies, pageSize);
        seen[found === 0 ? 'none' : found === ids.length ? 'all' : 'some'] += 1;
      }),
      { numRuns, seed: 7 },
    );
    assert.ok(Math.min(seen.none, seen.some, seen.all) > numRuns / 20, JSON.stringify(seen));
  });

test('a count under any policy is of what is allowed record by record', async (context) => {
  const fixture = await worldOf(context, 'memory');
  await fc.assert(
    fc.asyncProperty(statements(fixture.records.map(({ id }) => id)), async (policies) => {
      const wanted = fixture.records.filter((record) => fieldsShown(policies, 'count', record) !== undefined).length;
      const call = await refusable(callOf(fixture, policyOf(policies), 'count'));
      const { count } = call === undefined ? { count: 0 } : await fixture.node.runtime.count(call, listQuery(call));
      assert.equal(count, wanted);
    }),
    { numRuns: thinned(300), seed: 7 },
  );
});

test('an export under any policy is the list, in columns that some record may have', async (context) => {
  const fixture = await worldOf(context, 'memory');
  await fc.assert(
    fc.asyncProperty(statements(fixture.records.map(({ id }) => id)), async (policies) => {
      const call = await refusable(callOf(fixture, policyOf(policies), 'list'));
      if (call === undefined) return;
      const request = {
        query: listQuery(call),
        presentation: presentationOf(call, 'list'),
        configs: fixture.node.configs,
      };
      let [jsonl, csv] = ['', ''];
      for await (const piece of exportRecords(call, { format: 'jsonl', ...request })) jsonl += piece;
      for await (const piece of exportRecords(call, { format: 'csv', ...request })) csv += piece;
      const lines = jsonl.split('\n').filter((line) => line !== '');
      const exported = lines.map((line) => JSON.parse(line) as RecordData);
      assert.deepEqual(exported, await shownBy(fixture.node, call, {}));
      const columns = csv.slice(0, csv.indexOf('\r\n')).split(',');
      for (const record of exported) for (const name of Object.keys(record)) assert.ok(columns.includes(name), name);
      assert.equal(csv.split('\r\n').length, exported.length + 2);
    }),
    { numRuns: thinned(100), seed: 7 },
  );
});

test('B12: a stored Deny that is broken denies, and a stored Allow that is broken grants nothing', async (context) => {
  const fixture = await worldOf(context, 'memory');
  const allow = { Effect: 'Allow', Action: '*', Resource: '*' };
  const broken: readonly Readonly<Record<string, unknown>>[] = [
    { Action: 'list*', Resource: '*', Condition: { Bogus: { 'user.id': 'x' } } },
    { Action: ['list*', 5], Resource: '*' },
    { Action: 'listorder', Resource: '*', Fields: [] },
    { Action: 'listorder', Resource: '*', Condition: { StringEquals: { 'jwt.role': 'admin' } } },
    { Action: '*', Resource: '/list/$' + '{' },
  ];
  for (const one of broken) {
    const description = JSON.stringify(one);
    const denied = [allow, { Effect: 'Deny', ...one }];
    assert.equal(await refusable(callOf(fixture, policyOf(denied), 'list')), undefined, description);
    assert.equal(
      await refusable(callOf(fixture, policyOf([{ Effect: 'Allow', ...one }]), 'list')),
      undefined,
      description,
    );
  }
  assert.equal(
    (await shownBy(fixture.node, await callOf(fixture, policyOf([allow]), 'list'), {})).length,
    recordsOfTest,
  );
});
