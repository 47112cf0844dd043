/** What goes on in an org, told in one call: builds, jobs, the alert webhook, denials and releases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  joinOrg,
  manage,
  memberWith,
  type Org,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, provisionedOrg, rollback } from './promotion.ts';

const gateways = await platformForTests();

interface Overview {
  readonly builds: {
    readonly entities: number;
    readonly items: readonly {
      readonly entity: string;
      readonly indexes: { readonly building: number; readonly failed: number };
      readonly fills: { readonly filling: number; readonly failed: number };
    }[];
  };
  readonly jobs: { readonly waiting: number; readonly by_kind: Readonly<Record<string, number>> };
  readonly webhook: { readonly last_delivery: object | null } | null;
  readonly denials: readonly Readonly<Record<string, unknown>>[];
  readonly releases: readonly {
    readonly version: number;
    readonly action: string;
    readonly note?: string;
    readonly live: boolean;
    readonly items: number;
  }[];
}

async function overview(org: Org, query = '', token = org.builder.token): Promise<Overview> {
  const reply = await manage<Overview>(org, 'GET', `/org/overview${query}`, { token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

function overviewWhere(org: Org, holds: (overview: Overview) => boolean): Promise<Overview> {
  return eventually('an overview of what has happened', async () => {
    const shown = await overview(org);
    return holds(shown) && shown;
  });
}

const nothing = { entities: 0, items: [] };

test('a new org has nothing to tell', async () => {
  const org = await signUp(gateways);
  const jobs = { waiting: 0, by_kind: {} };
  assert.deepEqual(await overview(org), { builds: nothing, jobs, webhook: null, denials: [], releases: [] });
});

test('the first workspaces are shown where the call asks for them', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const { body } = await manage(org, 'GET', '/org/overview?workspaces=1');
  const listed = await manage(org, 'GET', '/org/workspaces');
  assert.deepEqual(body.workspaces, { items: listed.body.items, more: false });
  assert.match(JSON.stringify(body.workspaces), new RegExp(`"code":"${founder.tenantCode}"`));
  assert.equal('workspaces' in (await overview(org)), false);
  const prod = await manage(org, 'GET', '/org/overview?env=prod&workspaces=20');
  assert.deepEqual(prod.body.workspaces, { items: [], more: false });
  for (const wrong of ['21', '-1', 'all'])
    assertProblem(await manage(org, 'GET', `/org/overview?workspaces=${wrong}`), 'invalid_request');
});

test('the first steps about access are told where the call asks for them', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const steps = async () => (await manage(org, 'GET', '/org/overview?first_steps=true')).body.first_steps;
  assert.deepEqual(await steps(), { policy: false, member: false });
  const key = { env: 'test', tenant_code: founder.tenantCode, name: 'Importer' };
  const made = await manage(org, 'POST', '/org/service-keys', { body: key });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await steps(), { policy: false, member: false });
  await memberWith(founder, []);
  assert.deepEqual(await steps(), { policy: false, member: true });
  await create(founder, 'aclpolicy', { name: 'Readers', statements: [allow('listnote')] });
  assert.deepEqual(await steps(), { policy: true, member: true });

  const templates = { policies: [{ name: 'Agent', statements: [allow('listnote')] }], groups: [] };
  const neighbour = await signUp(gateways);
  const setting = { group: 'tenancy', name: 'workspace_templates', value: templates };
  assert.equal((await manage(neighbour, 'PUT', '/org/settings', { body: setting })).status, 200);
  const { body } = await manage(neighbour, 'GET', '/org/overview?first_steps=true');
  assert.deepEqual(body.first_steps, { policy: true, member: false });
  assertProblem(await manage(org, 'GET', '/org/overview?first_steps=maybe'), 'invalid_request');
});

test('a failed index is shown with its entity until it is mended', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  const [first] = [await create(founder, 'note', { title: 'a' }), await create(founder, 'note', { title: 'a' })];
  const body = { UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }] };
  assert.equal((await manage(org, 'PUT', '/api/create-note', { body })).status, 200);
  const { builds } = await overviewWhere(org, (shown) => shown.builds.items[0]?.indexes.failed === 1);
  assert.deepEqual(
    builds.items.map(({ entity, indexes, fills }) => [entity, indexes, fills]),
    [['note', { building: 0, failed: 1 }, { filling: 0, failed: 0 }]],
  );
  assert.equal(builds.entities, 1);
  assert.deepEqual((await overview(org, '?env=prod')).builds, nothing);
  await act(founder, 'DELETE', `/delete/note/${first.id}`);
  assert.equal((await manage(org, 'PUT', '/api/create-note', { body })).status, 200);
  await overviewWhere(org, (shown) => shown.builds.entities === 0 && shown.jobs.waiting === 0);
});

test('the last denials are shown, each with the ids by which it is explained', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  const member = await memberWith(founder, []);
  const ids: unknown[] = [];
  for (let call = 0; call < 7; call++)
    ids.push(assertProblem(await act(member, 'GET', '/list/note'), 'access_denied').decision_id);
  const { denials } = await overview(org);
  assert.deepEqual(
    denials.map(({ decision_id }) => decision_id),
    ids.toReversed().slice(0, 5),
  );
  const [last] = denials;
  assert.deepEqual([last?.action, last?.user_id, last?.tenant_code], ['listnote', member.id, member.tenantCode]);
  assert.equal((await manage(org, 'GET', `/acl/decisions/${last?.decision_id}`)).status, 200);
  assert.deepEqual((await overview(org, '?env=prod')).denials, []);
  const neighbour = await signUp(gateways);
  assert.deepEqual((await overview(neighbour)).denials, []);
});

test('the last releases are shown without what they changed, and which one is live', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  await deploy(org, { note: 'first' });
  await defineEntity(org, definition('task', [{ name: 'title' }]));
  await deploy(org);
  await rollback(org);
  const { releases } = await overview(org, '?env=prod');
  const [back, second, first] = releases;
  assert.deepEqual([back?.action, back?.live], ['rollback', true]);
  assert.deepEqual([second?.action, second?.live], ['activate', false]);
  assert.deepEqual([first?.version, first?.items, first?.note], [1, 1, 'first']);
  assert.ok(releases.every((release) => !('diff' in release)));
});

test('the alert webhook is shown without its address, which is for admins', async () => {
  const org = await signUp(gateways);
  const developer = await joinOrg(org, 'developer');
  const body = { url: `${org.app}/hook` };
  assert.equal((await manage(org, 'PUT', '/org/alerts/webhook', { body })).status, 200);
  const reply = await manage(org, 'GET', '/org/overview', { token: developer.token });
  assert.deepEqual(reply.body.webhook, { last_delivery: null });
  assert.ok(!reply.text.includes('/hook'));
  assertProblem(await manage(org, 'GET', '/org/alerts/webhook', { token: developer.token }), 'role_required');
});

test('it is told to builders of the org alone, and takes nothing but the environment', async () => {
  const { org, founder } = await foundedOrg(gateways);
  assertProblem(await call('GET', `${org.management}/org/overview`), 'token_missing');
  for (const token of [founder.token, 'nonsense'])
    assertProblem(await manage(org, 'GET', '/org/overview', { token }), 'token_invalid');
  for (const query of ['env=stage', 'pagesize=1', `env=${'x'.repeat(3000)}`])
    assertProblem(await manage(org, 'GET', `/org/overview?${query}`), 'invalid_request');
});

test('the list of entities tells which of their fields refer to which entity', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, definition('customer', [{ name: 'title' }]));
  const lookup = { entity: 'customer', onDelete: 'restrict' };
  const tags = { colType: 'array', items: { colType: 'guid', lookup: { entity: 'customer', onDelete: 'setnull' } } };
  await defineEntity(
    org,
    definition('ticket', [
      { name: 'opened_by', colType: 'guid', lookup },
      { name: 'also_for', ...tags },
      { name: 'title' },
    ]),
  );
  const reply = await manage<{ items: { name: string; lookups: object[] }[] }>(org, 'GET', '/api/entities');
  assert.deepEqual(
    reply.body.items.map(({ name, lookups }) => [name, lookups]),
    [
      ['customer', []],
      [
        'ticket',
        [
          { field: 'also_for', entity: 'customer' },
          { field: 'opened_by', entity: 'customer' },
        ],
      ],
    ],
  );
});
