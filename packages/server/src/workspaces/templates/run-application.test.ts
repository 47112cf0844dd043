import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/port.ts';
import { createAccessEpochs, policyIdByName, type WorkspaceTemplates } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { memberships } from '../../people/org-users/account.ts';
import { createOrgSettings, settingTypes } from '../../people/settings/org-settings.ts';
import { createCursors } from '../../records/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { openWorkspace } from '../../tenancy/workspace-head.ts';
import { completeFounding, takeCode } from '../founding.ts';
import { applicationJob } from './run-application.ts';
import { createTemplateApplications } from './template-applications.ts';

const place = { env: 'test', orgCode: 'acme' } as const;
const admin = 'the-admin';

async function orgWithWorkspaces(count: number) {
  const clock = { now: () => Date.parse('2026-11-20T09:00:00Z') };
  const { store } = await openStore({ kind: 'memory', clock });
  const configs = createConfigReader({ store, clock });
  const both = <T>(one: T) => ({ test: one, prod: one });
  const auditContext = { at: timestamp(clock.now()), actor: { kind: 'org_user', id: admin }, request_id: 'r' } as const;
  const platform = store.scope('platform');
  const role = (name: 'org_admin' | 'developer') =>
    platform.commit([memberships.put([admin, 'acme'], { role: name, joined_at: auditContext.at }, { if: 'any' })]);
  const newId = uuidv7Source(clock);
  const deps = { clock, newId, stores: both(store), configs: both(configs), platform, epochs: createAccessEpochs() };
  const codes = Array.from({ length: count }, (_, index) => `w${index}`);
  for (const code of codes) {
    const founder = { id: newId(), email: `${code}@acme.example`, fn: '', ln: '' };
    const intent = await takeCode(deps, place, { code, name: code, founder });
    assert.ok(intent !== undefined);
    await completeFounding(deps, place, intent);
  }
  await role('org_admin');
  const settings = createOrgSettings({ env: 'test', types: settingTypes, store, configs, auditContext });
  const put = (value: WorkspaceTemplates) =>
    settings.put('acme', { group: 'tenancy', name: 'workspace_templates', value });
  const applications = createTemplateApplications({
    ...deps,
    cursors: createCursors(Buffer.alloc(32)),
    wake: () => undefined,
  });
  const run = (id: string, renewLease = async () => undefined as undefined) =>
    applicationJob.run(deps, { id, ...place }, renewLease);
  const policyIds = () =>
    Promise.all(codes.map((code) => policyIdByName(openWorkspace(deps, place, { id: '', code }).scope, 'clerk')));
  return { put, applications, command: { ...place, auditContext }, run, role, policyIds };
}

const template: WorkspaceTemplates = {
  policies: [{ name: 'clerk', statements: [{ Effect: 'Allow', Action: ['get*'], Resource: ['*'] }] }],
  groups: [],
};

/** Ends the work at one of its steps, as a killed process does. */
function endAt(step: number): () => Promise<undefined> {
  let left = step;
  return async () => {
    if (left === 0) throw new Error('killed');
    left -= 1;
  };
}

test('an application that is interrupted at every step is done once in each workspace', async () => {
  const org = await orgWithWorkspaces(13);
  await org.put(template);
  const { id } = await org.applications.preview(org.command, {});
  const through = async (): Promise<unknown> => {
    for (;;)
      try {
        return await org.run(id, endAt(1));
      } catch (error) {
        assert.equal(String(error), 'Error: killed');
      }
  };
  await through();
  const preview = await org.applications.show(place, id);
  assert.deepEqual([preview.state, preview.looked, preview.differ, preview.creates], ['previewed', 13, 13, 13]);
  assert.deepEqual(new Set(await org.policyIds()), new Set([undefined]));
  await org.applications.start(org.command, id, { acceptsWidening: true });
  await through();
  const done = await org.applications.show(place, id);
  assert.deepEqual([done.state, done.done, done.failed], ['done', 13, 0]);
  const ids = await org.policyIds();
  assert.equal(new Set(ids).size, 13);
  assert.ok(!ids.includes(undefined));
});

test('nothing more is applied once the builder who started it is no admin, or the template is another', async () => {
  const org = await orgWithWorkspaces(3);
  await org.put(template);
  for (const [stop, error] of [
    [() => org.role('developer'), 'the builder who started it is no `org_admin` any more'],
    [() => org.put({ policies: [], groups: [] }), 'the template has changed since the preview'],
  ] as const) {
    await org.role('org_admin');
    const { id } = await org.applications.preview(org.command, {});
    await org.run(id);
    await org.applications.start(org.command, id, { acceptsWidening: true });
    await assert.rejects(org.run(id, endAt(1)), /killed/);
    await stop();
    await org.run(id);
    const failed = await org.applications.show(place, id);
    assert.deepEqual([failed.state, failed.error], ['failed', error]);
    await org.put(template);
  }
  assert.equal((await org.policyIds()).filter((id) => id !== undefined).length, 2);
});

test('a cancelled application does nothing more, and another one may begin', async () => {
  const org = await orgWithWorkspaces(3);
  await org.put(template);
  const first = await org.applications.preview(org.command, {});
  await assert.rejects(org.applications.preview(org.command, {}), /under way/);
  await org.run(first.id);
  await org.applications.start(org.command, first.id, { acceptsWidening: true });
  await assert.rejects(org.run(first.id, endAt(1)), /killed/);
  await org.applications.cancel(org.command, first.id);
  await org.run(first.id);
  assert.equal((await org.policyIds()).filter((id) => id !== undefined).length, 1);
  const second = await org.applications.preview(org.command, {});
  await org.run(second.id);
  assert.equal((await org.applications.show(place, second.id)).differ, 2);
});

test('an org has a bounded number of previews in 30 days', async () => {
  const { applications, command } = await orgWithWorkspaces(0);
  for (let made = 0; made < 500; made++) {
    const { id } = await applications.preview(command, {});
    await applications.cancel(command, id);
  }
  await assert.rejects(applications.preview(command, {}), { code: 'conflict', message: /500 .* in 30 days/ });
});
