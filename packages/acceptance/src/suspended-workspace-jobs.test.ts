/** Work of the org goes on in suspended workspaces: new definitions and templates reach them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { eventually } from './eventually.ts';
import { change, cost, fields, hours, settled, status } from './filled-fields.ts';
import { act, allow, create, defineEntity, definition, foundedOrg, list, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg, putSetting } from './workspaces.ts';

const gateways = await platformForTests();

async function control(org: Org, code: string, action: 'suspend' | 'resume'): Promise<void> {
  const body = { env: 'test', ...(action === 'suspend' ? { reason: 'A dispute about the invoice.' } : {}) };
  const reply = await manage(org, 'POST', `/org/workspaces/${code}/${action}`, { body });
  assert.equal(reply.status, 204, reply.text);
}

test('new fields, formulas and indexes reach the records of a suspended workspace while it is suspended', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('entry', fields));
  for (const minutes of [90, 30]) await create(founder, 'entry', { minutes });
  await control(org, 'main', 'suspend');
  await change(org, [status, hours, cost]);
  assert.deepEqual(await settled(org), []);
  const look = { env: 'test', tenant_code: 'main', user_id: founder.id };
  const { token } = (await manage<{ token: string }>(org, 'POST', '/org/impersonate', { body: look })).body;
  const query = '?sortby=hours&sortdir=asc&status=open';
  const filled = (await list({ ...founder, token }, 'entry', query)).items;
  assert.deepEqual(
    filled.map((entry) => [entry.hours, entry.cost]),
    [
      [0.5, 60],
      [1.5, 180],
    ],
  );
  assertProblem(await act(founder, 'GET', `/list/entry${query}`), 'workspace_suspended');
  await control(org, 'main', 'resume');
  assert.deepEqual((await list(founder, 'entry', query)).items, filled);
});

interface Application {
  readonly id: string;
  readonly state: string;
  readonly done: number;
  readonly failed: number;
}

async function reaches(org: Org, id: string, state: string): Promise<Application> {
  return eventually(`an application that is ${state}`, async () => {
    const reply = await manage<Application>(org, 'GET', `/org/workspace-template/applications/${id}`);
    assert.equal(reply.status, 200, reply.text);
    if (reply.body.state === state) return reply.body;
    assert.ok(['previewing', 'previewed', 'running'].includes(reply.body.state), reply.text);
    return undefined;
  });
}

test('a suspended workspace is compared with its template, and gets what it lacks', async () => {
  const org = await multiOrg(gateways);
  const alpha = await founderOf(org, 'Alpha');
  await founderOf(org, 'Beta');
  await control(org, 'alpha', 'suspend');
  const policies = [{ name: 'auditors', statements: [allow('list*')] }];
  await putSetting(org, 'tenancy', 'workspace_templates', { policies, groups: [] });
  interface Drift {
    readonly items: readonly { readonly code: string; readonly missing: number }[];
  }
  const missing = async () =>
    (await manage<Drift>(org, 'GET', '/org/workspace-template/drift')).body.items.map((one) => [one.code, one.missing]);
  assert.deepEqual(await missing(), [
    ['alpha', 1],
    ['beta', 1],
  ]);
  const made = await manage<Application>(org, 'POST', '/org/workspace-template/applications', { body: {} });
  assert.equal(made.status, 201, made.text);
  const { id } = await reaches(org, made.body.id, 'previewed');
  const path = `/org/workspace-template/applications/${id}/start`;
  const started = await manage(org, 'POST', path, { body: { accept_widening: true } });
  assert.equal(started.status, 200, started.text);
  const { done, failed } = await reaches(org, id, 'done');
  assert.deepEqual([done, failed], [2, 0]);
  assert.deepEqual(await missing(), [
    ['alpha', 0],
    ['beta', 0],
  ]);
  assertProblem(await act(alpha, 'GET', '/list/aclpolicy'), 'workspace_suspended');
  await control(org, 'alpha', 'resume');
  assert.equal((await list(alpha, 'aclpolicy', '?name=auditors')).items.length, 1);
});
