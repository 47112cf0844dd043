import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import type { Reply } from './call.ts';
import { act, allow, create, defineEntity, definition, deny, foundedOrg, manage, memberWith, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
const viewer = await memberWith(founder, [
  { Sid: 'Read', ...allow(['get*', 'list*']) },
  { Sid: 'NoList', ...deny('list*', '/list/order') },
]);
const grouped = await memberWith(founder, []);
const policy = await create(founder, 'aclpolicy', {
  name: 'by-group',
  statements: [{ Sid: 'G', ...allow('createorder') }],
});
const group = await create(founder, 'group', { name: 'makers', acl_policies: [policy.id] });
await create(founder, 'usergroup', { user_id: grouped.id, group_id: group.id });

interface Cell {
  readonly decision: string;
  readonly policy?: string;
  readonly group?: string;
  readonly Sid?: string;
}

interface Row {
  readonly user_id: string;
  readonly email: string;
  readonly status: string;
  readonly entities: Readonly<Record<string, Readonly<Record<string, Cell>>>>;
}

interface Matrix {
  readonly items: readonly Row[];
  readonly nexttoken: string | null;
}

function askMatrix(query: string): Promise<Reply<Matrix>> {
  return manage<Matrix>(org, 'GET', `/acl/matrix?${query}`);
}

async function readMatrix(query: string): Promise<Matrix> {
  const reply = await askMatrix(query);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

const workspace = `tenant_code=${founder.tenantCode}`;

test('the matrix names for each member the statement that grants or denies a verb', async () => {
  const { items, nexttoken } = await readMatrix(`${workspace}&entity=order`);
  assert.equal(nexttoken, null);
  const rows = new Map(items.map((row) => [row.user_id, row]));
  assert.deepEqual([...rows.keys()].sort(), [founder.id, viewer.id, grouped.id].sort());
  const cell = (id: string, verb: string): Cell | undefined => rows.get(id)?.entities.order?.[verb];
  assert.deepEqual([cell(founder.id, 'delete')?.decision, cell(founder.id, 'delete')?.policy], ['allowed', 'adminacl']);
  assert.deepEqual([cell(viewer.id, 'get')?.decision, cell(viewer.id, 'get')?.Sid], ['allowed', 'Read']);
  assert.deepEqual([cell(viewer.id, 'list')?.decision, cell(viewer.id, 'list')?.Sid], ['explicit_deny', 'NoList']);
  assert.deepEqual(cell(viewer.id, 'create'), { decision: 'implicit_deny' });
  const made = cell(grouped.id, 'create');
  assert.deepEqual([made?.decision, made?.policy, made?.group, made?.Sid], ['allowed', 'by-group', 'makers', 'G']);
});

test('the matrix holds every entity of the org and of access control, and one alone where it is asked for', async () => {
  const [row] = (await readMatrix(workspace)).items;
  for (const name of ['order', 'aclpolicy', 'user'])
    assert.equal(Object.keys(row?.entities[name] ?? {}).length, 7, name);
  const [alone] = (await readMatrix(`${workspace}&entity=user`)).items;
  assert.deepEqual(Object.keys(alone?.entities ?? {}), ['user']);
});

test('the pages of the matrix taken to the end hold each member once', async () => {
  const seen: string[] = [];
  let next = '';
  do {
    const page = await readMatrix(`${workspace}&entity=order&pagesize=1${next}`);
    assert.ok(page.items.length <= 1);
    seen.push(...page.items.map((row) => row.user_id));
    next = page.nexttoken === null ? '' : `&nexttoken=${page.nexttoken}`;
  } while (next !== '');
  assert.deepEqual(seen.sort(), [founder.id, viewer.id, grouped.id].sort());
});

test('what the matrix says of a member is what the member’s calls are answered', async () => {
  const { items } = await readMatrix(`${workspace}&entity=order`);
  for (const user of [viewer, grouped]) {
    const cells = items.find((row) => row.user_id === user.id)?.entities.order;
    for (const [verb, path] of [
      ['list', '/list/order'],
      ['count', '/count/order'],
    ] as const) {
      const { status } = await act(user, 'GET', path);
      assert.equal(status, cells?.[verb]?.decision === 'allowed' ? 200 : 403, `${verb} of ${user.email}`);
    }
  }
});

test('the matrix of one member has all entities in one reply', async () => {
  const { items, nexttoken } = await readMatrix(`${workspace}&user_id=${viewer.id}`);
  assert.deepEqual([items.map((row) => row.user_id), nexttoken], [[viewer.id], null]);
  const whole = (await readMatrix(workspace)).items.find((row) => row.user_id === viewer.id);
  assert.deepEqual(items[0], whole);
  const page = await readMatrix(`${workspace}&entity=order&pagesize=1`);
  assertProblem(await askMatrix(`${workspace}&user_id=${viewer.id}&nexttoken=${page.nexttoken}`), 'invalid_cursor');
  assertProblem(await askMatrix(`${workspace}&user_id=00000000-0000-0000-0000-000000000000`), 'not_found');
  assertProblem(await askMatrix(`${workspace}&user_id=none`), 'invalid_request');
});

test('a suspended member is shown as such', async () => {
  const member = await memberWith(founder, [allow('*')]);
  assert.equal((await act(founder, 'PUT', `/update/user/${member.id}`, { body: { status: 'suspended' } })).status, 200);
  const { items } = await readMatrix(`${workspace}&entity=order`);
  assert.equal(items.find((row) => row.user_id === member.id)?.status, 'suspended');
});

test('a matrix of nothing that is there, and parameters that are wrong, are refused', async () => {
  assertProblem(await askMatrix(''), 'invalid_request');
  assertProblem(await askMatrix('tenant_code='), 'invalid_request');
  assertProblem(await askMatrix(`${workspace}&pagesize=51`), 'invalid_request');
  assertProblem(await askMatrix(`${workspace}&pagesize=0`), 'invalid_request');
  assertProblem(await askMatrix(`${workspace}&env=dev`), 'invalid_request');
  assertProblem(await askMatrix(`${workspace}&who=me`), 'invalid_request');
  assertProblem(await askMatrix(`${workspace}&nexttoken=abc`), 'invalid_cursor');
  assertProblem(await askMatrix('tenant_code=nowhere'), 'not_found');
  assertProblem(await askMatrix(`${workspace}&env=prod`), 'not_found');
  assertProblem(await askMatrix(`${workspace}&entity=nothing`), 'not_found');
});

test('a cursor of one matrix leads into no other', async () => {
  const { nexttoken } = await readMatrix(`${workspace}&entity=order&pagesize=1`);
  assertProblem(await askMatrix(`${workspace}&entity=user&pagesize=1&nexttoken=${nexttoken}`), 'invalid_cursor');
});

test('a matrix is shown to the builders of its own org only', async () => {
  const other = await signUp(gateways);
  const reply = await manage(other, 'GET', `/acl/matrix?tenant_code=${founder.tenantCode}`);
  assert.doesNotMatch(reply.text, new RegExp(founder.email));
  assertProblem(reply, 'not_found');
});
