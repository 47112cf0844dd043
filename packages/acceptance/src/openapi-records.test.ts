/** What the document of an app says of an entity, no more and no less than what is so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedApp, documentedManagement } from './documented-gateway.ts';
import { everyType, everyValue } from './every-type.ts';
import { bodiesOf, jsonLine } from './openapi-requests.ts';
import {
  act,
  appUrl,
  create,
  defineEntity,
  definition,
  foundedOrg,
  manage,
  memberWith,
  type Page,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const { token } = founder;
await defineEntity(org, everyType);
await defineEntity(org, {
  ...definition('coupon', [
    { name: 'code', colType: 'string' },
    { name: 'owner_id', colType: 'guid' },
  ]),
  ownerIndexes: [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};owner#{owner_id}', gskTemplate: 'c#{id}', scopeList: true },
  ],
  UniqueIndexes: [{ indexName: 'by-code', fields: ['code'] }],
  Views: { default: { fields: [{ name: 'code', as: 'voucher' }] } },
});
await defineEntity(org, {
  ...definition('part', [{ name: 'thing_id', colType: 'guid', lookup: { entity: 'thing' } }]),
  Views: {
    default: { fields: [{ name: 'id' }, { name: 'thing_id', lookup: { view: 'short', as: 'thing' } }] },
    whole: { fields: [{ name: 'thing_id', lookup: { view: 'default', as: 'thing' } }, { name: 'updated_at' }] },
  },
});
const current = await create(founder, 'thing', everyValue);
const app = await documentedApp(founder);
const { document } = app;
const createThing = document.operation('createThing');
const updateThing = document.operation('updateThing');
const listThing = document.operation('listThing');

test('a create is taken where it fits the document, and refused where it does not', async () => {
  const outcomes = new Set<number>();
  await fc.assert(
    fc.asyncProperty(bodiesOf(document, createThing), async (body) => {
      const { status, text } = await app.send('createThing', { token, body });
      assert.equal(status, document.fits(createThing.body ?? {}, body) ? 201 : 400, text);
      outcomes.add(status);
    }),
    { numRuns: 100 },
  );
  assert.equal(outcomes.size, 2);
});

test('an update is taken where it fits the document, and refused where it does not', async () => {
  const outcomes = new Set<number>();
  await fc.assert(
    fc.asyncProperty(bodiesOf(document, updateThing), async (body) => {
      const isFit = document.fits(updateThing.body ?? {}, body);
      const request = { token, path: { id: current.id }, body: isFit ? withoutMade(Object(body)) : body };
      const { status, text } = await app.send('updateThing', request);
      // A version that is not the stored one is refused before the rest is looked at.
      const isOvertaken = status === 412 && Object.hasOwn(Object(body), 'version');
      assert.ok(isFit ? status === 200 : status === 400 || isOvertaken, text);
      outcomes.add(status === 200 ? 200 : 400);
    }),
    { numRuns: 100 },
  );
  assert.equal(outcomes.size, 2);
});

test('a row of an import makes a record where it fits the document of a create', async () => {
  const headers = { 'content-type': 'application/x-ndjson' };
  await fc.assert(
    fc.asyncProperty(fc.array(bodiesOf(document, createThing), { minLength: 1 }), async (rows) => {
      const made = rows.filter((row) => document.fits(createThing.body ?? {}, row)).length;
      const body = rows.map(jsonLine).join('');
      const { body: result, text } = await app.send<{ created: number; failed: number }>('importThing', {
        token,
        headers,
        body,
      });
      assert.deepEqual([result.created, result.failed], [made, rows.length - made], text);
    }),
    { numRuns: 30 },
  );
});

/** What the platform makes may be sent, but only as it stands: no schema can say that. */
function withoutMade(body: object): object {
  const made = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version', 'label', 'number'];
  return Object.fromEntries(Object.entries(body).filter(([name]) => !made.includes(name)));
}

test('a record that was read fits the document of an update, and can be put back', async () => {
  const { body } = await act(founder, 'GET', `/item/thing/${current.id}`);
  assert.ok(document.fits(updateThing.body ?? {}, body));
  assert.equal((await app.send('updateThing', { token, path: { id: current.id }, body })).status, 200);
});

test('each filter that the document tells of finds a record by its value, and there is no other', async () => {
  const record = await create(founder, 'thing', everyValue);
  const names = listThing.parameters.map(({ name }) => name);
  const filters = names.filter((name) => names.includes(`${name}_op`));
  const unfiltered = ['version', 'notes'];
  assert.deepEqual(
    filters.toSorted(),
    Object.keys(record)
      .filter((name) => !unfiltered.includes(name))
      .sort(),
  );
  for (const name of filters) {
    const value = record[name];
    const query = Array.isArray(value) ? { [name]: value[0], [`${name}_op`]: 'contains' } : { [name]: String(value) };
    assert.deepEqual(await idsOf({ id: record.id, ...query }), [record.id], name);
  }
  for (const name of [...unfiltered, 'pin'])
    assert.equal((await app.send('listThing', { token, query: { [name]: '1' } })).status, 400, name);
});

test('each order that the document tells of is one, and an export has no other', async () => {
  const orders = choicesOf('exportThing', 'sortby');
  assert.deepEqual(orders.toSorted(), ['amount', 'created_at', 'id', 'number', 'title', 'updated_at']);
  assertProblem(await act(founder, 'GET', '/export/thing?sortby=seats'), 'unindexed_sort');
  const schema = listThing.parameters.find(({ name }) => name === 'sortby')?.schema;
  const [single, several] = (schema?.anyOf ?? []) as readonly { readonly enum?: string[]; readonly pattern?: string }[];
  const sorted = single?.enum ?? [];
  for (const name of [...orders, 'seats']) assert.ok(sorted.includes(name), name);
  for (const sortby of [...sorted, 'seats,title'])
    assert.equal((await idsOf({ sortby, pagesize: '2' })).length, 2, sortby);
  for (const name of ['notes', 'pin', 'nowhere']) {
    assert.ok(!sorted.includes(name), name);
    assert.equal((await app.send('listThing', { token, query: { sortby: name } })).status, 400, name);
  }
  assert.match('seats,title', new RegExp(several?.pattern ?? '^$'));
});

test('each setting is taken where it fits the document, but for a few, and refused where it does not', async () => {
  const management = await documentedManagement(org);
  const settling = await signUp(gateways);
  const changeSetting = management.document.operation('changeSetting');
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(bodiesOf(management.document, changeSetting), async (body) => {
      const { status, text } = await management.send('changeSetting', { token: settling.builder.token, body });
      const isFit = management.document.fits(changeSetting.body ?? {}, body);
      if (!isFit) assert.equal(status, 400, text);
      outcomes.add(`${isFit} ${status}`);
    }),
    { numRuns: 200 },
  );
  assert.ok(outcomes.has('true 200') && outcomes.has('false 400'));
});

test('searches and owners are described if an entity has them, and only then', async () => {
  const { id } = await create(founder, 'thing', { title: 'rare' });
  assert.deepEqual(await idsOf({ q: 'rare' }), [id]);
  assert.ok((await idsOf({ owner: founder.id, pagesize: '200' })).includes(id));
  const parametersOf = (operationId: string) =>
    document
      .operation(operationId)
      .parameters.flatMap(({ name }) => (['q', 'owner', 'all'].includes(name) ? name : []));
  assert.deepEqual(parametersOf('listThing').toSorted(), ['owner', 'q']);
  assert.deepEqual(parametersOf('listCoupon').toSorted(), ['all', 'owner']);
  assert.deepEqual(parametersOf('listPart'), []);
  assert.equal((await app.send('listCoupon', { token, query: { all: 'true' } })).status, 200);
});

for (const [entity, sent, views] of [
  ['Thing', everyValue, ['compact', 'default', 'short']],
  ['Part', { thing_id: current.id }, ['compact', 'default', 'whole']],
  ['Part', {}, ['compact', 'default', 'whole']],
  ['Coupon', {}, ['compact', 'default']],
] as const) {
  test(`each view of ${JSON.stringify(sent).slice(0, 40)} as a ${entity} is described exactly in its own document`, async () => {
    const made = await app.send<{ readonly id: string }>(`create${entity}`, {
      token,
      headers: { prefer: 'return=minimal' },
      body: sent,
    });
    const path = { id: made.body.id };
    const answers = async ({ send }: typeof app, view: string) => ({
      create: await send(`create${entity}`, { token, query: { view }, body: sent }),
      update: await send(`update${entity}`, { token, query: { view }, path, body: sent }),
      get: await send(`get${entity}`, { token, query: { view }, path }),
      list: await send<Page>(`list${entity}`, { token, query: { view } }),
      export: await send(`export${entity}`, { token, query: { view } }),
    });
    const statusesOf = (replies: Awaited<ReturnType<typeof answers>>) =>
      Object.values(replies).map(({ status }) => status);
    for (const view of views) {
      const byView = await documentedApp(founder, view);
      assert.deepEqual(viewOf(byView, `get${entity}`), { enum: [view], 'x-views': views }, view);
      const replies = await answers(byView, view);
      assert.deepEqual(statusesOf(replies), [201, 200, 200, 200, 200], view);
      for (const action of ['create', 'update', 'get'] as const)
        assertExact(byView, `${action}${entity}`, replies[action].body);
      const page = replies.list.body;
      assertExact(byView, `list${entity}`, page.items[0], (item) => ({ ...page, items: [item] }));
    }
    assert.deepEqual(statusesOf(await answers(app, 'unheard_of')), [400, 400, 400, 400, 400]);
  });
}

test('a document by a view that no entity has is refused, and so is one of a part', async () => {
  const url = appUrl(org, '/openapi.json?view=unheard_of');
  const { errors } = assertProblem(await call('GET', url, { token }), 'invalid_request');
  assert.deepEqual(errors, [{ pointer: '/view', code: 'unknown_view', message: 'there is no view of this name' }]);
  const ofPart = (entity: string, view: string) =>
    manage(org, 'GET', `/api/openapi.json?entity=${entity}&view=${view}`);
  assertProblem(await ofPart('coupon', 'short'), 'invalid_request');
  assert.match((await ofPart('thing', 'short')).text, /"ThingShort"/);
});

/** The views that the parameter of this name takes in the document, and those that it tells of. */
function viewOf({ document: of }: typeof app, operationId: string) {
  const view = of.operation(operationId).parameters.find(({ name }) => name === 'view');
  return { enum: view?.schema.enum, 'x-views': view?.['x-views']?.toSorted() };
}

/** No record fits that lacks a member which every reply has, or has one of another type. */
function assertExact(
  { document: of }: typeof app,
  operationId: string,
  record: unknown,
  replyOf = (one: unknown) => one,
) {
  const { responses } = of.operation(operationId);
  const schema = (responses[201] ?? responses[200])?.content?.['application/json']?.schema ?? {};
  const members = record as Readonly<Record<string, unknown>>;
  assert.ok(of.fits(schema, replyOf(members)), operationId);
  // A field of JSON takes any value.
  for (const name of Object.keys(members).filter((one) => one !== 'notes')) {
    assert.ok(!of.fits(schema, replyOf({ ...members, [name]: { planted: true } })), `${operationId}: ${name}`);
    const { [name]: _removed, ...others } = members;
    if (envelope.includes(name)) assert.ok(!of.fits(schema, replyOf(others)), `${operationId} without ${name}`);
  }
}

const envelope = ['id', 'version', 'created_at', 'updated_at'];

test('a file is repeated by a unique index that the document tells of, and there is no other', async () => {
  assert.deepEqual(choicesOf('importCoupon', 'upsert'), ['by-code']);
  assert.deepEqual(choicesOf('importThing', 'upsert'), []);
  const request = { token, headers: { 'content-type': 'text/csv' }, body: 'code\nfile\n' };
  const outcomes = [];
  for (const upsert of ['by-code', 'by-code', 'unheard_of']) {
    const { status, body } = await app.send<{ created?: number }>('importCoupon', { ...request, query: { upsert } });
    outcomes.push([status, body.created]);
  }
  assert.deepEqual(outcomes, [
    [200, 1],
    [200, 0],
    [400, undefined],
  ]);
});

test('a value that is taken is refused in a way that the document tells of', async () => {
  const request = { token, body: { code: 'A1' } };
  assert.equal((await app.send('createCoupon', request)).status, 201);
  assert.equal((await app.send('createCoupon', request)).status, 409);
});

test('the document of an app is for who has a token of the org, and tells of no other org', async () => {
  const url = appUrl(org, '/openapi.json');
  assertProblem(await call('GET', url), 'token_missing');
  const beta = await foundedOrg(gateways);
  assertProblem(await call('GET', url, { token: beta.founder.token }), 'token_invalid');
  const unprivileged = await memberWith(founder, []);
  assert.equal((await call('GET', url, { token: unprivileged.token })).status, 200);
  const { operations } = (await documentedApp(beta.founder)).document;
  assert.ok(operations.some(({ id }) => id === 'listUser') && !operations.some(({ id }) => id === 'listThing'));
});

/** The values that a parameter is said to take. */
function choicesOf(operationId: string, name: string): readonly string[] {
  const parameter = document.operation(operationId).parameters.find((one) => one.name === name);
  return (parameter?.schema.enum ?? []) as readonly string[];
}

async function idsOf(query: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { status, body, text } = await app.send<Page>('listThing', { token, query });
  assert.equal(status, 200, text);
  return body.items.map(({ id }) => id);
}
