/** Report-only statements wherever policies are written: they are decided and recorded, and never enforced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { atomic, creating } from './batches.ts';
import type { Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { importFile, jsonLines, jsonl } from './transfer-calls.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const orders = allow('*order');
const noCount = { Sid: 'NoCount', ...deny('countorder'), Mode: 'report' };

interface ReportedUse {
  readonly policy: string;
  readonly logicblock?: string;
  readonly Sid?: string;
  readonly would_deny: number;
  readonly would_allow: number;
}

async function reportedIn(org: Org, code: string): Promise<readonly ReportedUse[]> {
  const path = `/acl/reported?tenant_code=${code}`;
  const reply = await manage<{ readonly items: readonly ReportedUse[] }>(org, 'GET', path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

test('a report-only Deny of a workspace template is decided and recorded where it is founded, and never enforced', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const policies = [{ name: 'clerk', statements: [orders, noCount] }];
  await putSetting(org, 'tenancy', 'workspace_templates', { policies, groups: [] });
  const founder = await signIn(org);
  const clerk = await memberWith(founder, []);
  const [policy] = (await list(founder, 'aclpolicy', '?name=clerk')).items;
  await create(founder, 'useraclpolicy', { user_id: clerk.id, acl_policy_id: policy?.id });
  for (const _ of [1, 2]) assert.equal((await act(clerk, 'GET', '/count/order')).status, 200);
  assert.deepEqual(shownOf(await reportedIn(org, clerk.tenantCode)), [['clerk', undefined, 'NoCount', 2, 0]]);
});

test('a report-only statement of a logic block’s own policies is decided and recorded, and never enforced', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const { id } = await create(founder, 'order', { title: 'Lamp' });
  const clerk = await memberWith(founder, [allow('run*')]);
  const read = { id: 'read', type: 'get', entity: 'order', record: '{{ input.id }}' };
  const find = { id: 'find', type: 'list', entity: 'order' };
  const noGet = { Sid: 'NoGet', ...deny('getorder'), Mode: 'report' };
  const blocks = {
    reads: { steps: [read], returns: '{{ steps.read.title }}', policies: [allow('getorder'), noGet] },
    lists: { steps: [find], policies: [allow('getorder'), { Sid: 'List', ...allow('listorder'), Mode: 'report' }] },
  };
  for (const [name, content] of Object.entries(blocks)) {
    const body = { name, content: { name, run_as: 'app', ...content } };
    const made = await manage(org, 'POST', '/config/logicblock', { body });
    assert.equal(made.status, 201, made.text);
  }
  for (const _ of [1, 2, 3]) {
    const ran = await act(clerk, 'POST', '/logicblocks/reads', { body: { id } });
    assert.deepEqual([ran.status, ran.body], [200, 'Lamp']);
  }
  assertProblem(await act(clerk, 'POST', '/logicblocks/lists', { body: {} }), 'access_denied');
  assert.deepEqual(shownOf(await reportedIn(org, clerk.tenantCode)), [
    ['logic block lists', 'lists', 'List', 0, 1],
    ['logic block reads', 'reads', 'NoGet', 3, 0],
  ]);
  // What a block does by policies of its own says nothing of what its caller needs.
  const draft = { name: 'nothing', statements: [deny('*')] };
  const body = { tenant_code: clerk.tenantCode, draft, principals: [clerk.id] };
  const { newly_denied, unchanged } = (
    await manage<{ newly_denied: ReportPage; unchanged: { count: number } }>(org, 'POST', '/acl/replay', { body })
  ).body;
  assert.deepEqual(newly_denied.items.map(({ action }) => action).toSorted(), ['runlists', 'runreads']);
  assert.equal(unchanged.count, 0);
});

interface ReportPage {
  readonly items: readonly { readonly action: string }[];
}

function shownOf(uses: readonly ReportedUse[]) {
  return uses.map(({ policy, logicblock, Sid, would_deny, would_allow }) => [
    policy,
    logicblock,
    Sid,
    would_deny,
    would_allow,
  ]);
}

const sentence = '`Mode` must be exactly `report`; a statement without it is enforced';

test('a mode that is none is refused with one sentence, wherever policies are written', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const statements = [orders];
  const { id } = await create(founder, 'aclpolicy', { name: 'stored', statements });
  const content = { name: 'block', steps: [{ id: 'find', type: 'list', entity: 'user' }], run_as: 'app' };
  const wrongOf = (Mode: unknown) => [{ ...orders, Mode }];
  const setting = (wrong: readonly object[]) => ({ policies: [{ name: 'p', statements: wrong }], groups: [] });
  const builds = (path: string, body: object, method = 'POST') => manage(org, method, path, { body });
  const writers: Readonly<Record<string, (wrong: readonly object[]) => Promise<Reply>>> = {
    '/statements/0/Mode': (wrong) => does(founder, 'POST', '/create/aclpolicy', { name: 'p', statements: wrong }),
    'update /statements/0/Mode': (wrong) => does(founder, 'PUT', `/update/aclpolicy/${id}`, { statements: wrong }),
    '/value/policies/0/statements/0/Mode': (wrong) =>
      builds('/org/settings', { group: 'tenancy', name: 'workspace_templates', value: setting(wrong) }, 'PUT'),
    '/content/value/policies/0/statements/0/Mode': (wrong) =>
      builds('/config/settings', { name: 'tenancy.workspace_templates', content: { value: setting(wrong) } }),
    '/content/policies/0/Mode': (wrong) =>
      builds('/config/logicblock', { name: 'block', content: { ...content, policies: wrong } }),
    '/draft/statements/0/Mode': (wrong) =>
      builds('/acl/replay', { tenant_code: founder.tenantCode, draft: { policy_id: id, statements: wrong } }),
    'simulate /statements/0/Mode': (wrong) =>
      builds('/acl/simulate', { statements: wrong, method: 'GET', path: '/list/order' }),
  };
  for (const Mode of ['enforce', 'Report', '', null, true])
    for (const [name, write] of Object.entries(writers)) {
      const { errors } = assertProblem(await write(wrongOf(Mode)), 'validation_failed');
      assert.deepEqual(errors, [{ pointer: name.split(' ').at(-1), code: 'invalid_value', message: sentence }], name);
    }
  const wrong = { name: 'p', statements: wrongOf('enforce') };
  const batch = await atomic(founder, [creating('aclpolicy', wrong)]);
  assert.match(batch.text, /`Mode` must be exactly `report`/);
  const imported = await importFile(founder, 'aclpolicy', jsonLines([wrong]), jsonl);
  assert.match(JSON.stringify(imported.errors), /`Mode` must be exactly `report`/);
  const { items } = await list(founder, 'aclpolicy', '?pagesize=200');
  assert.deepEqual(
    items.filter(({ name }) => name === 'p'),
    [],
  );
  assert.deepEqual(items.find((one) => one.id === id)?.statements, [
    { ...orders, Action: ['*order'], Resource: ['*'] },
  ]);
  assert.equal((await manage(org, 'GET', '/config/logicblock/block')).status, 404);
});

function does(user: AppUser, method: string, path: string, body: object): Promise<Reply> {
  return act<Readonly<Record<string, unknown>>>(user, method, path, { body });
}
