/** The parameter `explain`: how a list, a count or figures were found, for callers who may know of every record. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import type { Statement } from './org.ts';
import { type AppUser, act, allow, create, defineEntity, foundedOrg, manage, memberWith, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const UpdateParams = [
  { name: 'status', index: true },
  { name: 'minutes', colType: 'integer' },
];
await defineEntity(org, { entityName: 'ticket', UpdateParams });
for (const minutes of [1, 2, 3]) await create(founder, 'ticket', { status: 'open', minutes });
await create(founder, 'ticket', { status: 'done', minutes: 4 });

interface Explained {
  readonly explain?: {
    readonly index: { readonly name: string; readonly kind: string } | null;
    readonly entriesWalked: number;
    readonly recordsTested: number;
    readonly budget: Readonly<Record<'items' | 'bytes' | 'milliseconds' | 'steps', number>>;
  };
}

async function builderAs(body: object): Promise<AppUser> {
  const request = { env: 'test', tenant_code: founder.tenantCode, ...body };
  const { body: given } = await manage<{ token: string; user_id: string }>(org, 'POST', '/org/impersonate', {
    body: request,
  });
  return { ...founder, id: given.user_id, token: given.token };
}

async function serverWith(statements: readonly Statement[]): Promise<AppUser> {
  const name = `policy-${random()}`;
  await create(founder, 'aclpolicy', { name, statements });
  const request = { env: 'test', tenant_code: founder.tenantCode, name: 'Sync', policies: [name] };
  const { body } = await manage<{ id: string; key: string }>(org, 'POST', '/org/service-keys', { body: request });
  return { ...founder, id: body.id, token: body.key };
}

const verbs = ['listticket', 'countticket', 'getticket'];
const open = { ...allow(verbs), Condition: { StringEquals: { 'record.status': ['open'] } } };
const path = '/list/ticket?status=open&minutes=1&minutes_op=gt';

async function explained(user: AppUser, query: string) {
  const { status, text, body } = await act<Explained>(user, 'GET', query);
  assert.equal(status, 200, text);
  const { budget, ...rest } = body.explain ?? {};
  assert.deepEqual(budget && Object.keys(budget), budget && ['items', 'bytes', 'milliseconds', 'steps']);
  return rest;
}

test('a list and a count tell builders and service keys how they were read', async () => {
  const member = await memberWith(founder, [open]);
  const index = { name: 'status', kind: 'field' };
  const found = { index, entriesWalked: 3, recordsTested: 3 };
  for (const user of [await builderAs({}), await builderAs({ user_id: member.id }), await serverWith([allow(verbs)])])
    for (const request of [path, path.replace('list', 'count')]) {
      assert.deepEqual(await explained(user, `${request}&explain=true`), found);
      assert.deepEqual(await explained(user, `${request}&$explain=true`), found);
      assert.deepEqual(await explained(user, `${request}&explain=false`), {});
    }
  const server = await serverWith([allow(verbs)]);
  assert.deepEqual(await explained(server, '/list/ticket?pagesize=1&explain=true'), {
    index: null,
    entriesWalked: 2,
    recordsTested: 0,
  });
});

test('a caller who may not know of every record is not told how a list was read', async () => {
  const whole = await memberWith(founder, [allow('*')]);
  const servers = [
    await serverWith([open]),
    await serverWith([{ ...allow(verbs), Fields: ['minutes', 'status'] }]),
    await serverWith([allow(['listticket', 'countticket']), { ...open, Effect: 'Deny', Action: ['getticket'] }]),
  ];
  for (const user of [founder, whole, ...servers])
    for (const request of ['/list/ticket', '/count/ticket', '/aggregate/ticket']) {
      assert.equal((await act(user, 'GET', request)).status, 200);
      const refused = await act(user, 'GET', `${request}?explain=true`);
      assertProblem(refused, 'access_denied');
      assert.doesNotMatch(refused.text, /entriesWalked|aggregate"/);
    }
});

test('figures tell builders and service keys that no kept aggregate answered', async () => {
  for (const user of [await builderAs({}), await serverWith([allow(verbs)])]) {
    assert.deepEqual(await explained(user, '/aggregate/ticket?group=status&explain=true'), { aggregate: null });
    assert.deepEqual(await explained(user, '/aggregate/ticket?group=status&explain=false'), {});
  }
  const member = await builderAs({ user_id: (await memberWith(founder, [open])).id });
  assert.deepEqual(await explained(member, '/aggregate/ticket?$explain=true'), { aggregate: null });
});

test('a service key that may not browse is not told how lists of its own records are read', async () => {
  await defineEntity(org, {
    entityName: 'task',
    UpdateParams: [{ name: 'user', required: true }],
    ownerIndexes: [
      { ownerFieldName: 'user', gpkTemplate: 'org#{org};user#{user}', gskTemplate: '{id}', scopeList: true },
    ],
  });
  for (const user of ['a', 'b']) await create(founder, 'task', { user });
  const server = await serverWith([allow('listtask')]);
  assertProblem(await act(server, 'GET', '/list/task?explain=true'), 'access_denied');
  const browsing = await serverWith([allow(['listtask', 'browsetask'])]);
  const all = await explained(browsing, '/list/task?all=true&explain=true');
  assert.deepEqual(all, { index: null, entriesWalked: 2, recordsTested: 0 });
});

test('records that are found by what they look up are told with both indexes', async () => {
  await defineEntity(org, { entityName: 'site', UpdateParams: [{ name: 'region', index: true }] });
  await defineEntity(org, {
    entityName: 'visit',
    UpdateParams: [{ name: 'site_id', colType: 'guid', lookup: { entity: 'site' } }],
  });
  for (let at = 0; at < 8; at++) {
    const { id } = await create(founder, 'site', { region: at === 3 ? 'north' : 'south' });
    for (let round = 0; round < 2; round++) await create(founder, 'visit', { site_id: id });
  }
  const filter = encodeURIComponent('site_id.region == "north"');
  const server = await serverWith([allow(['listvisit', 'countvisit', 'listsite', 'getsite'])]);
  const through = { entity: 'site', index: { name: 'region', kind: 'field' }, records: 1 };
  const found = { index: { name: 'site_id', kind: 'field' }, through, entriesWalked: 3, recordsTested: 2 };
  assert.deepEqual(await explained(server, `/list/visit?filter=${filter}&explain=true`), found);
  assert.deepEqual(await explained(server, `/count/visit?filter=${filter}&explain=true`), found);
  const southern = encodeURIComponent('site_id.region == "south"');
  const walked = { index: null, entriesWalked: 16, recordsTested: 16 };
  assert.deepEqual(await explained(server, `/list/visit?filter=${southern}&explain=true`), walked);
});

test('a service key that may not list all of the records that lookups of a filter point to is not told', async () => {
  await defineEntity(org, { entityName: 'customer', UpdateParams: [{ name: 'tier' }, { name: 'region' }] });
  await defineEntity(org, {
    entityName: 'call',
    UpdateParams: [{ name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } }],
  });
  const { id } = await create(founder, 'customer', { tier: 'gold' });
  await create(founder, 'call', { customer_id: id });
  const path = '/list/call?explain=true&filter=customer_id.tier%20==%20"gold"';
  const read = ['listcustomer', 'getcustomer'];
  const found = { index: null, entriesWalked: 1, recordsTested: 1 };
  assert.deepEqual(await explained(await serverWith([allow(['listcall', ...read])]), path), found);
  for (const statement of [allow('getcustomer'), { ...allow(read), Fields: ['tier'] }])
    assertProblem(await act(await serverWith([allow('listcall'), statement]), 'GET', path), 'access_denied');
});

test('`explain` is refused where nothing is explained', async () => {
  const server = await serverWith([allow('*')]);
  for (const [requested, place] of [
    ['/list/ticket?explain=yes', '/explain'],
    ['/export/ticket?explain=true', '/explain'],
    ['/aggregate/ticket?explain=1', '/explain'],
  ] as const)
    assert.deepEqual(pointers(assertProblem(await act(server, 'GET', requested), 'invalid_request')), [place]);
});
