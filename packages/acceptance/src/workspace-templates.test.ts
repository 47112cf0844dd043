/** Workspaces differ from the template of their org, and builders apply it to them: shown first, then done by a job. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { newKey } from './deploy.ts';
import { eventually } from './eventually.ts';
import { type AppUser, act, allow, create, deny, foundedOrg, joinOrg, list, manage, type Org, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { activate, deploy, inProduction, provision, provisionedOrg, publish } from './promotion.ts';
import { founderOf, multiOrg, putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const path = '/org/workspace-template';

interface Drift {
  readonly code: string;
  readonly made_with: string;
  readonly applied_at: string | null;
  readonly missing: number;
  readonly changed: number;
  readonly local: number;
  readonly extra: number;
}

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly is_local: boolean;
  readonly step: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly widens: readonly string[];
}

interface Details {
  readonly items: readonly Item[];
  readonly extras: readonly { readonly kind: string; readonly name: string }[];
  readonly extras_complete: boolean;
}

interface Application {
  readonly id: string;
  readonly state: string;
  readonly looked: number;
  readonly differ: number;
  readonly creates: number;
  readonly replaces: number;
  readonly keeps: number;
  readonly widening: number;
  readonly done: number;
  readonly failed: number;
  readonly error: string | null;
}

interface Step {
  readonly code: string;
  readonly state: string;
  readonly items: readonly { readonly kind: string; readonly name: string; readonly step: string }[];
  readonly widens: readonly string[];
  readonly error: string | null;
}

async function ok<Body>(request: Promise<Reply<Body>>, status = 200): Promise<Body> {
  const reply = await request;
  assert.equal(reply.status, status, reply.text);
  return reply.body;
}

function drift(org: Org, query = ''): Promise<{ readonly items: readonly Drift[]; readonly nexttoken: string | null }> {
  return ok(manage(org, 'GET', `${path}/drift${query}`));
}

function details(org: Org, code: string, query = ''): Promise<Details> {
  return ok(manage(org, 'GET', `${path}/drift/${code}${query}`));
}

function begin(org: Org, body: object = {}, query = '', options: CallOptions = {}): Promise<Reply<Application>> {
  return manage(org, 'POST', `${path}/applications${query}`, { body, ...options });
}

function start(
  org: Org,
  id: string,
  body: object = { accept_widening: true },
  query = '',
): Promise<Reply<Application>> {
  return manage(org, 'POST', `${path}/applications/${id}/start${query}`, { body });
}

/** The application once it is in another state. */
async function settled(org: Org, id: string, query = ''): Promise<Application> {
  return eventually('another state of the application', async () => {
    const one = await ok(manage<Application>(org, 'GET', `${path}/applications/${id}${query}`));
    return one.state !== 'previewing' && one.state !== 'running' && one;
  });
}

async function previewed(org: Org, body: object = {}, query = ''): Promise<Application> {
  const { id } = await ok(begin(org, body, query), 201);
  const one = await settled(org, id, query);
  assert.equal(one.state, 'previewed', JSON.stringify(one));
  return one;
}

async function applied(org: Org, body: object = {}, query = ''): Promise<Application> {
  const { id } = await previewed(org, body, query);
  await ok(start(org, id, { accept_widening: true }, query));
  const one = await settled(org, id, query);
  assert.equal(one.state, 'done', JSON.stringify(one));
  return one;
}

async function steps(org: Org, id: string): Promise<readonly Step[]> {
  return (await ok(manage<{ readonly items: readonly Step[] }>(org, 'GET', `${path}/applications/${id}/workspaces`)))
    .items;
}

function template(org: Org, policies: readonly object[], groups: readonly object[] = []): Promise<void> {
  return putSetting(org, 'tenancy', 'workspace_templates', { policies, groups });
}

const clerk = (...actions: readonly string[]) => ({ name: 'clerk', statements: [allow(actions)] });
const noDelete = { name: 'no-delete', statements: [deny('delete*')] };
const clerks = { name: 'clerks', acl_policies: ['clerk', 'no-delete'] };

async function policyNamed(user: AppUser, name: string) {
  const { items } = await list(user, 'aclpolicy', `?name=${name}`);
  return items[0];
}

test('a workspace is compared with the template: what it lacks, what differs, and what is its own', async () => {
  const org = await multiOrg(gateways);
  const bare = await founderOf(org, 'Bare');
  await template(org, [clerk('get*'), noDelete], [clerks]);
  const full = await founderOf(org, 'Full');
  await create(bare, 'aclpolicy', { name: 'own', statements: [] });
  const { items } = await drift(org);
  assert.deepEqual(
    items.map(({ code, made_with, missing, changed, local, extra }) => [
      code,
      made_with,
      missing,
      changed,
      local,
      extra,
    ]),
    [
      ['bare', 'earlier', 3, 0, 0, 1],
      ['full', 'current', 0, 0, 0, 0],
    ],
  );
  const shown = await details(org, 'bare');
  assert.deepEqual(
    shown.items.map(({ kind, name, state, is_local, step }) => [kind, name, state, is_local, step]),
    [
      ['policy', 'clerk', 'missing', false, 'create'],
      ['policy', 'no-delete', 'missing', false, 'create'],
      ['group', 'clerks', 'missing', false, 'create'],
    ],
  );
  assert.deepEqual(shown.items[0]?.widens, ['the workspace gets the policy `clerk`']);
  assert.deepEqual(shown.items[1]?.widens, []);
  assert.deepEqual([shown.extras.map(({ name }) => name), shown.extras_complete], [['own'], true]);

  const stored = await policyNamed(full, 'clerk');
  await act(full, 'PUT', `/update/aclpolicy/${stored?.id}`, { body: { statements: [allow('list*')] } });
  const [changed] = (await details(org, 'full')).items;
  assert.deepEqual([changed?.state, changed?.is_local, changed?.step], ['changed', true, 'keep']);
  const [replaced] = (await details(org, 'full', '?replace_local=true')).items;
  assert.equal(replaced?.step, 'replace');
  assert.deepEqual(
    [replaced?.before, replaced?.after],
    [[allow('list*')], [allow(['get*'])]].map((one) => normal(one)),
  );
  assert.match(String(replaced?.widens), /^the policy `clerk` of the workspace allows `get\*`/);
  const seen: string[] = [];
  let query = '?pagesize=1';
  for (;;) {
    const page = await drift(org, query);
    seen.push(...page.items.map(({ code }) => code));
    if (page.nexttoken === null) break;
    query = `?pagesize=1&nexttoken=${page.nexttoken}`;
  }
  assert.deepEqual(seen, ['bare', 'full']);
});

/** Statements in the one form in which they are kept. */
function normal(statements: readonly { readonly Action: unknown; readonly Resource: unknown }[]): unknown {
  const listed = (value: unknown): unknown => (Array.isArray(value) ? value : [value]);
  return statements.map((one) => ({ ...one, Action: listed(one.Action), Resource: listed(one.Resource) }));
}

test('an application makes and replaces what the template made, and keeps what workspaces have changed', async () => {
  const org = await multiOrg(gateways);
  await template(org, [clerk('get*'), noDelete], [clerks]);
  const [plain, local, other] = [await founderOf(org, 'A'), await founderOf(org, 'B'), await founderOf(org, 'C')];
  const localPolicy = await policyNamed(local, 'clerk');
  await act(local, 'PUT', `/update/aclpolicy/${localPolicy?.id}`, { body: { statements: [allow('list*')] } });
  const gone = await policyNamed(other, 'no-delete');
  const group = (await list(other, 'group', '?name=clerks')).items[0];
  await act(other, 'PUT', `/update/group/${group?.id}`, { body: { acl_policies: [] } });
  const path = `/delete/aclpolicy/${gone?.id}`;
  for (const query of ['', '?force=true']) assertProblem(await act(other, 'DELETE', path + query), 'in_use');
  await template(org, []);
  assert.equal((await act(other, 'DELETE', path)).status, 204);
  await template(org, [clerk('get*', 'create*'), noDelete, { name: 'new', statements: [] }], [clerks]);

  const preview = await previewed(org);
  assert.deepEqual(
    [preview.looked, preview.differ, preview.creates, preview.replaces, preview.keeps, preview.widening],
    [3, 3, 3, 2, 3, 2],
  );
  const shown = await steps(org, preview.id);
  assert.deepEqual(
    shown.map(({ code, items }) => [code, items.map(({ name, step }) => `${name} ${step}`)]),
    [
      ['a', ['clerk replace', 'new create']],
      ['b', ['clerk keep', 'new create']],
      ['c', ['clerk replace', 'no-delete keep', 'new create', 'clerks keep']],
    ],
  );
  assert.deepEqual((await policyNamed(plain, 'clerk'))?.statements, normal([allow(['get*'])]));

  assertProblem(await start(org, preview.id, {}), 'escalation_refused');
  assertProblem(await start(org, preview.id, { accept_widening: false }), 'escalation_refused');
  await ok(start(org, preview.id));
  const done = await settled(org, preview.id);
  assert.deepEqual([done.state, done.done, done.failed], ['done', 3, 0]);
  assert.deepEqual((await policyNamed(plain, 'clerk'))?.statements, normal([allow(['get*', 'create*'])]));
  assert.deepEqual((await policyNamed(local, 'clerk'))?.statements, normal([allow('list*')]));
  assert.equal(await policyNamed(other, 'no-delete'), undefined);
  for (const user of [plain, local, other]) assert.ok((await policyNamed(user, 'new')) !== undefined);
  assert.deepEqual(
    (await drift(org)).items.map(({ made_with, missing, changed, local: own }) => [made_with, missing, changed, own]),
    [
      ['current', 0, 0, 0],
      ['current', 0, 1, 1],
      ['current', 1, 1, 2],
    ],
  );
  assert.equal((await previewed(org)).differ, 0);

  await applied(org, { replace_local: true });
  assert.ok((await drift(org)).items.every(({ missing, changed }) => missing + changed === 0));
  assert.deepEqual((await policyNamed(local, 'clerk'))?.statements, normal([allow(['get*', 'create*'])]));
  assert.equal((await policyNamed(local, 'clerk'))?.id, localPolicy?.id);
});

test('a group is kept that would get nothing but a policy which the workspace has removed', async () => {
  const org = await multiOrg(gateways);
  await template(org, [clerk('get*'), noDelete], [{ name: 'clerks', acl_policies: ['clerk'] }]);
  const one = await founderOf(org, 'One');
  const removed = await policyNamed(one, 'no-delete');
  await template(org, []);
  assert.equal((await act(one, 'DELETE', `/delete/aclpolicy/${removed?.id}`)).status, 204);
  await template(org, [clerk('get*'), noDelete], [clerks]);
  const { items } = await details(org, 'one');
  assert.deepEqual(
    items.map(({ name, state, step }) => [name, state, step]),
    [
      ['clerk', 'same', 'none'],
      ['no-delete', 'missing', 'keep'],
      ['clerks', 'changed', 'keep'],
    ],
  );
  assert.deepEqual([items[2]?.before, items[2]?.after], [['clerk'], ['clerk']]);
});

test('members hold what is applied at once, through their groups', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await template(org, [clerk('get*')], [{ name: 'clerks', acl_policies: ['clerk'] }]);
  await applied(org);
  const group = (await list(founder, 'group', '?name=clerks')).items[0];
  assert.deepEqual(group?.acl_policies, [(await policyNamed(founder, 'clerk'))?.id]);
  const entries = await ok(
    manage<{ items: readonly { action: string; actor: { kind: string }; detail?: object }[] }>(
      org,
      'GET',
      `/audit?tenant_code=${founder.tenantCode}`,
    ),
  );
  const auditEntries = entries.items.filter(({ actor }) => actor.kind === 'org_user').map(({ action }) => action);
  assert.deepEqual(auditEntries.toSorted(), ['group.created', 'policy.created', 'workspace_template.applied']);
  const ofOrg = await ok(
    manage<{ items: readonly { action: string }[] }>(org, 'GET', '/audit?action=workspace_template'),
  );
  assert.deepEqual(
    ofOrg.items.map(({ action }) => action),
    ['workspace_template.started', 'workspace_template.previewed'],
  );
});

test('what is done is what was shown: a workspace or a template that has changed since is left as it is', async () => {
  const org = await multiOrg(gateways);
  await template(org, [clerk('get*')]);
  const [one, two] = [await founderOf(org, 'One'), await founderOf(org, 'Two')];
  await template(org, [clerk('list*')]);
  const { id } = await previewed(org);
  const policy = await policyNamed(one, 'clerk');
  await act(one, 'PUT', `/update/aclpolicy/${policy?.id}`, { body: { name: 'former clerk' } });
  await create(one, 'aclpolicy', { name: 'clerk', statements: [deny('*')] });
  await ok(start(org, id));
  const done = await settled(org, id);
  assert.deepEqual([done.state, done.done], ['done', 2]);
  assert.deepEqual((await policyNamed(one, 'clerk'))?.statements, normal([deny('*')]));
  assert.deepEqual((await policyNamed(two, 'clerk'))?.statements, normal([allow(['list*'])]));

  await template(org, [clerk('count*')]);
  const second = await previewed(org, { replace_local: true });
  const stored = await policyNamed(two, 'clerk');
  await act(two, 'PUT', `/update/aclpolicy/${stored?.id}`, { body: { statements: [allow('browse*')] } });
  await ok(start(org, second.id));
  const after = await settled(org, second.id);
  assert.deepEqual([after.state, after.done, after.failed], ['done', 1, 1]);
  const failed = (await steps(org, second.id)).find(({ state }) => state === 'failed');
  assert.deepEqual(
    [failed?.code, failed?.error],
    ['two', 'the workspace has changed since the preview: nothing was done'],
  );
  assert.deepEqual((await policyNamed(two, 'clerk'))?.statements, normal([allow('browse*')]));

  const third = await previewed(org, { replace_local: true });
  await template(org, [clerk('get*', 'list*')]);
  assertProblem(await start(org, third.id), 'conflict');
  assertProblem(await start(org, second.id), 'conflict');
});

test('only the workspaces that were named are changed, and a code without a workspace is said', async () => {
  const org = await multiOrg(gateways);
  const [one, two] = [await founderOf(org, 'One'), await founderOf(org, 'Two')];
  await template(org, [noDelete]);
  const { id } = await previewed(org, { workspaces: ['two', 'nowhere', 'two'] });
  assert.deepEqual(
    (await steps(org, id)).map(({ code, state, error }) => [code, state, error]),
    [
      ['nowhere', 'failed', 'there is no such workspace'],
      ['two', 'previewed', null],
    ],
  );
  await ok(start(org, id, {}));
  assert.deepEqual([(await settled(org, id)).done, (await settled(org, id)).failed], [1, 1]);
  assert.equal(await policyNamed(one, 'no-delete'), undefined);
  assert.ok((await policyNamed(two, 'no-delete')) !== undefined);
});

test('the last admin keeps adminacl, and a name that the workspace has taken is no fault of the others', async () => {
  const org = await multiOrg(gateways);
  await template(org, [], [{ name: 'bosses', acl_policies: ['adminacl'] }]);
  const founder = await founderOf(org, 'One');
  const other = await founderOf(org, 'Two');
  await create(other, 'aclpolicy', { name: 'CLERK', statements: [] });
  const boss = (await list(founder, 'group', '?name=bosses')).items[0];
  await create(founder, 'usergroup', { user_id: founder.id, group_id: boss?.id });
  for (const entity of ['useraclpolicy', 'usergroup'])
    for (const link of (await list(founder, entity, `?user_id=${founder.id}`)).items)
      if (link.group_id !== boss?.id) await act(founder, 'DELETE', `/delete/${entity}/${link.id}`);
  await template(org, [clerk('get*')], [{ name: 'bosses', acl_policies: [] }]);
  const done = await applied(org);
  assert.deepEqual([done.done, done.failed], [0, 2]);
  const errors = (await steps(org, done.id)).map(({ code, error }) => [code, error]);
  assert.match(String(errors[0]), /^one,the last active holder of policy `adminacl`/);
  assert.match(String(errors[1]), /^two,unique/i);
  assert.equal(await policyNamed(founder, 'clerk'), undefined);
});

test('an application is cancelled, one is under way at a time, and a request counts once', async () => {
  const org = await multiOrg(gateways);
  await founderOf(org, 'One');
  await template(org, [noDelete]);
  const key = { headers: { 'idempotency-key': 'once' } };
  const first = await ok(begin(org, {}, '', key), 201);
  const again = await begin(org, {}, '', key);
  assert.deepEqual([again.status, again.body.id], [201, first.id], again.text);
  await settled(org, first.id);
  const cancelled = await ok(manage<Application>(org, 'POST', `${path}/applications/${first.id}/cancel`));
  assert.equal(cancelled.state, 'cancelled');
  assertProblem(await manage(org, 'POST', `${path}/applications/${first.id}/cancel`), 'conflict');
  assertProblem(await start(org, first.id), 'conflict');
  const { items } = await ok(manage<{ items: readonly Application[] }>(org, 'GET', `${path}/applications`));
  assert.deepEqual(
    items.map(({ id, state }) => [id, state]),
    [[first.id, 'cancelled']],
  );
});

test('workspaces of production get the template of production, by an admin of the org', async () => {
  const org = await provisionedOrg(gateways);
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  await deploy(org);
  const prod = await inProduction(org);
  const founder = await founderOf(prod, 'Live');
  await template(org, [noDelete]);
  assert.equal((await drift(org, '?env=prod')).items[0]?.missing, 0);
  await deploy(org);
  assert.equal((await drift(org, '?env=prod')).items[0]?.missing, 1);
  assert.deepEqual((await drift(org)).items, []);
  await applied(org, { workspaces: [founder.tenantCode] }, '?env=prod');
  assert.ok((await policyNamed(founder, 'no-delete')) !== undefined);
});

test('templates of an org are applied by its admins, to its own workspaces', async () => {
  const org = await multiOrg(gateways);
  const founder = await founderOf(org, 'One');
  await template(org, [noDelete]);
  const { id } = await previewed(org);
  const neighbour = await signUp(gateways);
  await provision(neighbour);
  assert.deepEqual((await drift(neighbour)).items, []);
  assertProblem(await manage(neighbour, 'GET', `${path}/drift/one`), 'not_found');
  for (const place of [`${path}/applications/${id}`, `${path}/applications/${id}/workspaces`]) {
    assertProblem(await manage(neighbour, 'GET', place), 'not_found');
    assertProblem(await manage(org, 'GET', `${place}?env=prod`), 'not_found');
  }
  assertProblem(await start(neighbour, id), 'not_found');
  assertProblem(await manage(neighbour, 'POST', `${path}/applications/${id}/cancel`), 'not_found');
  const named = await previewed(neighbour, { workspaces: ['one'] });
  assert.deepEqual(
    (await steps(neighbour, named.id)).map(({ error }) => error),
    ['there is no such workspace'],
  );

  const { token } = await joinOrg(org, 'developer');
  assert.equal((await manage(org, 'GET', `${path}/drift`, { token })).status, 200);
  assertProblem(await begin(org, {}, '', { token }), 'role_required');
  assertProblem(await manage(org, 'POST', `${path}/applications/${id}/start`, { token, body: {} }), 'role_required');
  assertProblem(await manage(org, 'POST', `${path}/applications/${id}/cancel`, { token }), 'role_required');
  const routes = [
    ['GET', `${path}/drift`],
    ['GET', `${path}/drift/one`],
    ['GET', `${path}/applications`],
    ['POST', `${path}/applications`],
    ['GET', `${path}/applications/${id}`],
    ['GET', `${path}/applications/${id}/workspaces`],
    ['POST', `${path}/applications/${id}/start`],
    ['POST', `${path}/applications/${id}/cancel`],
  ] as const;
  for (const [method, place] of routes) {
    assertProblem(await call(method, `${org.management}${place}`), 'token_missing');
    for (const wrong of [founder.token, 'nonsense', `${org.builder.token}x`])
      assertProblem(await manage(org, method, place, { token: wrong }), 'token_invalid');
  }
});

test('nonsense is named', async () => {
  const org = await multiOrg(gateways);
  await founderOf(org, 'One');
  await founderOf(org, 'Two');
  for (const body of [{ workspaces: [] }, { workspaces: ['ONE'] }, { workspaces: [7] }, { workspaces: 'all' }])
    assert.match(String(pointers(assertProblem(await begin(org, body), 'validation_failed'))), /^\/workspaces/);
  const many = { workspaces: Array.from({ length: 201 }, (_, index) => `w${index}`) };
  assert.deepEqual(pointers(assertProblem(await begin(org, many), 'validation_failed')), ['/workspaces']);
  assertProblem(await begin(org, { all: true }), 'unknown_field');
  assertProblem(await begin(org, {}, '?env=prod'), 'conflict');
  for (const query of ['pagesize=0', 'pagesize=21', 'env=stage', 'q=x'])
    assertProblem(await manage(org, 'GET', `${path}/drift?${query}`), 'invalid_request');
  for (const code of ['nowhere', 'ONE', '__proto__', 'x'.repeat(300)])
    assertProblem(await manage(org, 'GET', `${path}/drift/${code}`), 'not_found');
  for (const id of ['none', '01890a5d-ac96-774b-bcce-b302099a8057']) {
    assertProblem(await manage(org, 'GET', `${path}/applications/${id}`), 'not_found');
    assertProblem(await start(org, id), 'not_found');
  }
  const { nexttoken } = await drift(org, '?pagesize=1');
  const neighbour = await signUp(gateways);
  for (const query of [`env=prod&nexttoken=${nexttoken}`, 'nexttoken=x'])
    assertProblem(await manage(org, 'GET', `${path}/drift?${query}`), 'invalid_cursor');
  assertProblem(await manage(neighbour, 'GET', `${path}/drift?nexttoken=${nexttoken}`), 'invalid_cursor');
});

test('an activation applies the template to the workspaces of production in the same call, for an org admin alone', async () => {
  const org = await multiOrg(gateways);
  const prod = await inProduction(org);
  await template(org, [clerk('get*')]);
  assert.equal((await deploy(org)).template_application, undefined);
  const [one, two] = [await founderOf(prod, 'One'), await founderOf(prod, 'Two')];
  const own = await policyNamed(two, 'clerk');
  await act(two, 'PUT', `/update/aclpolicy/${own?.id}`, { body: { statements: [allow('browse*')] } });
  await template(org, [clerk('get*', 'list*'), noDelete]);
  await publish(org);
  const request = { body: { apply_templates: true } };
  const { key } = await newKey(org, 'activate');
  const developer = await joinOrg(org, 'developer');
  for (const token of [key, developer.token])
    assertProblem(await manage(org, 'POST', '/deploy/activate', { ...request, token }), 'role_required');
  assert.deepEqual((await policyNamed(one, 'clerk'))?.statements, normal([allow(['get*'])]));
  const { template_application: id } = await activate(org, request.body);
  assert.ok(id);
  const done = await settled(org, id, '?env=prod');
  assert.deepEqual([done.state, done.done, done.failed, done.keeps], ['done', 2, 0, 1], JSON.stringify(done));
  assert.ok(done.widening > 0);
  assert.deepEqual((await policyNamed(one, 'clerk'))?.statements, normal([allow(['get*', 'list*'])]));
  assert.deepEqual((await policyNamed(two, 'clerk'))?.statements, normal([allow('browse*')]), 'local changes stay');
  for (const user of [one, two]) assert.ok((await policyNamed(user, 'no-delete')) !== undefined);
  // It is like any other from then on: started, so it starts no more, and the next one may begin.
  assertProblem(await start(org, id, {}, '?env=prod'), 'conflict');
  assert.equal((await previewed(org, {}, '?env=prod')).differ, 0);
});
