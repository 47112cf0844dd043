/** Org admins suspend workspaces of the app: what their members, their automation and their builders can still do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appApi } from '@freehold/contract/app';
import { recordRoutes } from '@freehold/contract/app/records';
import type { Route } from '@freehold/contract/route';
import { assertProblem } from './assert-problem.ts';
import { type CallOptions, call } from './call.ts';
import { deliveries, makeEvent, startReceiver } from './event-receiver.ts';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  joinOrg,
  list,
  logIn,
  manage,
  newEmail,
  type Org,
  random,
  signIn,
  signUp,
} from './org.ts';
import { erase } from './person-jobs.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, prodFounder, provision } from './promotion.ts';
import { signMessage } from './standard-webhook.ts';
import { founderOf, multiOrg, tenantsOf } from './workspaces.ts';

const gateways = await platformForTests();
const reason = 'A dispute about the invoice.';

interface Shown {
  readonly code: string;
  readonly members: number;
  readonly suspended: { readonly at: string; readonly by: string; readonly reason: string } | null;
}

interface Control {
  readonly code: string;
  readonly action: 'suspend' | 'resume';
  readonly body?: object;
  readonly token?: string | undefined;
}

function control(org: Org, { code, action, body, token = org.builder.token }: Control) {
  const request = { env: 'test', ...(action === 'suspend' ? { reason } : {}), ...body };
  return manage(org, 'POST', `/org/workspaces/${code}/${action}`, { body: request, token });
}

async function suspend(org: Org, code = 'main', env = 'test'): Promise<void> {
  const reply = await control(org, { code, action: 'suspend', body: { env } });
  assert.equal(reply.status, 204, reply.text);
}

async function resume(org: Org, code = 'main'): Promise<void> {
  const reply = await control(org, { code, action: 'resume' });
  assert.equal(reply.status, 204, reply.text);
}

async function codes(org: Org, query: string): Promise<readonly string[]> {
  const reply = await manage<{ items: readonly Shown[] }>(org, 'GET', `/org/workspaces?${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items.map(({ code }) => code);
}

async function shop(): Promise<{ readonly org: Org; readonly founder: AppUser }> {
  const made = await foundedOrg(gateways);
  await defineEntity(made.org, definition('order', [{ name: 'title', index: true }]));
  return made;
}

async function serviceKey(org: Org, code = 'main'): Promise<string> {
  const body = { env: 'test', name: `key ${random()}`, tenant_code: code, policies: ['adminacl'] };
  const reply = await manage<{ key: string }>(org, 'POST', '/org/service-keys', { body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.key;
}

function viewAs(org: Org, request: object) {
  return manage<{ token: string }>(org, 'POST', '/org/impersonate', { body: { env: 'test', ...request } });
}

type Named = Pick<Route, 'method' | 'path' | 'access'>;

const routes = Object.entries<Named>({ ...appApi, ...recordRoutes }).filter(([, { access }]) => access !== 'public');

function send(org: Org, { method, path }: Named, token: string) {
  const filled = path.replace(':org', org.code).replace(':entity', 'order').replaceAll(/:\w+/g, 'none');
  const options: CallOptions = method === 'GET' || method === 'DELETE' ? { token } : { token, body: {} };
  return call(method, org.app + filled, options);
}

test('every route of a suspended workspace is refused to its members and its service keys, and answers again when it is resumed', async () => {
  const { org, founder } = await shop();
  const key = await serviceKey(org);
  const kept = await create(founder, 'order', { title: 'kept' });
  assert.equal((await act({ ...founder, token: key }, 'GET', '/list/order')).status, 200);
  await suspend(org);
  assert.ok(routes.length > 30, `${routes.length} routes`);
  for (const [name, route] of routes)
    for (const token of [founder.token, key]) {
      const reply = await send(org, route, token);
      assert.equal((reply.body as { readonly code?: string }).code, 'workspace_suspended', `${name} ${reply.text}`);
    }
  const { detail } = assertProblem(await act(founder, 'GET', '/list/order'), 'workspace_suspended');
  assert.match(detail, /only an admin of the app’s org can resume it/);
  await resume(org);
  assert.equal((await act(founder, 'GET', `/item/order/${kept.id}`)).status, 200);
  assert.equal((await act({ ...founder, token: key }, 'GET', '/list/order')).status, 200);
});

test('no token is given for a suspended workspace, and those of other workspaces of the same user go on', async () => {
  const org = await multiOrg(gateways);
  const founder = await founderOf(org, 'Alpha');
  assert.equal((await act(founder, 'POST', '/user/workspace', { body: { name: 'Beta' } })).status, 201);
  const beta = await exchangeToken(org, founder.token);
  assert.equal(beta.body.tenant_code, 'beta');
  const pending = (await logIn(org, founder.email)).body.token;
  await suspend(org, 'beta');
  const inBeta = { ...founder, token: beta.body.token };
  const named = (token: string, code: string) =>
    call('GET', `${org.app}/app/${org.code}/token?tenant_code=${code}`, {
      headers: { client_id: org.clientId, oauthtoken: token },
    });
  for (const token of [founder.token, beta.body.token])
    assertProblem(await named(token, 'beta'), 'workspace_suspended');
  // The workspace that was chosen is passed over.
  for (const token of [pending, founder.token, beta.body.token])
    assert.equal((await exchangeToken(org, token)).body.tenant_code, 'alpha');
  assertProblem(await act(inBeta, 'GET', '/user/me'), 'workspace_suspended');
  assert.equal((await act(founder, 'GET', '/user/me')).status, 200);
  assert.deepEqual(
    (await tenantsOf(founder)).map(({ code, suspended }) => [code, suspended]),
    [
      ['beta', true],
      ['alpha', false],
    ],
  );
  for (const path of ['/user/switch-tenant', '/user/leave'])
    assertProblem(await act(founder, 'POST', path, { body: { tenant_code: 'beta' } }), 'workspace_suspended');
  // Who is no member learns nothing of it.
  const stranger = await founderOf(org, 'Gamma');
  assertProblem(await named(stranger.token, 'beta'), 'not_found');

  await suspend(org, 'alpha');
  for (const token of [(await logIn(org, founder.email)).body.token, founder.token])
    assertProblem(await exchangeToken(org, token), 'workspace_suspended');
  await resume(org, 'beta');
  assert.equal((await exchangeToken(org, founder.token)).body.tenant_code, 'beta');
});

test('under single tenancy a suspended default workspace takes no new member', async () => {
  const { org, founder } = await shop();
  await suspend(org);
  const email = newEmail('late');
  const { token } = (await logIn(org, email)).body;
  assertProblem(await exchangeToken(org, token), 'workspace_suspended');
  await resume(org);
  assert.deepEqual((await list(founder, 'user', `?email=${email}`)).items, []);
  assert.equal((await signIn(org, email)).tenantCode, 'main');
});

test('invitations into a suspended workspace are refused, and an open one is good again afterwards', async () => {
  const org = await multiOrg(gateways);
  await founderOf(org, 'Alpha');
  const guest = await signIn(org, newEmail('guest'));
  const path = '/org/workspaces/alpha/invitations';
  const request = { body: { env: 'test', email: guest.email } };
  const { id, code } = (await manage<{ id: string; code: string }>(org, 'POST', path, request)).body;
  await suspend(org, 'alpha');
  assertProblem(await manage(org, 'POST', path, request), 'workspace_suspended');
  assertProblem(await manage(org, 'POST', `${path}/${id}/resend`, { body: { env: 'test' } }), 'workspace_suspended');
  const accept = () => act(guest, 'POST', '/user/acceptinvitation', { body: { code } });
  assertProblem(await accept(), 'workspace_suspended');
  assert.equal((await manage<{ items: readonly unknown[] }>(org, 'GET', path)).body.items.length, 1);
  await resume(org, 'alpha');
  assert.equal((await accept()).status, 200);
});

test('builders look into a suspended workspace, and write nothing there', async () => {
  const { org, founder } = await shop();
  await create(founder, 'order', { title: 'kept' });
  const before = (await viewAs(org, { tenant_code: 'main', user_id: founder.id })).body.token;
  await suspend(org);
  const own = await viewAs(org, { tenant_code: 'main' });
  const asUser = await viewAs(org, { tenant_code: 'main', user_id: founder.id });
  assert.deepEqual([own.status, asUser.status], [200, 200]);
  for (const token of [before, own.body.token, asUser.body.token]) {
    const builder = { ...founder, token };
    assert.equal((await list(builder, 'order')).items.length, 1);
    const written = await act(builder, 'POST', '/create/order', { body: { title: 'no' } });
    assertProblem(written, 'workspace_suspended');
    for (const [, route] of routes.filter(([, { method, path }]) => method !== 'GET' && !path.includes('/access/v1/')))
      assert.ok((await send(org, route, token)).status === 403, `${route.method} ${route.path}`);
  }
  // The token of a builder lets no member in.
  assertProblem(await act(founder, 'GET', '/list/order'), 'workspace_suspended');
});

const appBlock = { run_as: 'app', policies: [allow('createorder')] };
const made = { id: 'made', type: 'create', entity: 'order', values: { title: 'made' } };
const secret = `whsec_${Buffer.from('the key of this hook').toString('base64')}`;

function beginRun(org: Org, name: string, code = 'main') {
  return manage<{ run: string }>(org, 'POST', `/logicblocks/${name}/run`, { body: { tenant_code: code } });
}

async function reaches(org: Org, run: string, end: string): Promise<void> {
  await eventually(`a run that is ${end}`, async () => {
    const reply = await manage<{ state: string }>(org, 'GET', `/runs/${run}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.state === end;
  });
}

test('no block begins in a suspended workspace, by a builder, by a retry or by a hook', async () => {
  const { org, founder } = await shop();
  const block = async (name: string, content: object) => {
    const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, ...content } } });
    assert.equal(reply.status, 201, reply.text);
  };
  await manage(org, 'PUT', '/secrets/pay', { body: { value: secret, hosts: [] } });
  await block('hooked', { ...appBlock, hook: { signature: 'standard', secrets: ['pay'] }, steps: [made] });
  const fails = { id: 'no', type: 'raise', status: 409, code: 'taken', message: 'taken' };
  await block('fails', { steps: [made, { id: 'pause', type: 'wait', seconds: 1 }, fails] });
  const begin = () => beginRun(org, 'fails');
  const { run } = (await begin()).body;
  await reaches(org, run, 'failed');
  const orders = (await list(founder, 'order')).items.length;
  await suspend(org);
  assertProblem(await begin(), 'workspace_suspended');
  assertProblem(await manage(org, 'POST', `/runs/${run}/retry`, { body: {} }), 'workspace_suspended');
  const draft = { tenant_code: 'main', content: { name: 'draft', steps: [made] } };
  assertProblem(await manage(org, 'POST', '/logicblocks/test', { body: draft }), 'workspace_suspended');
  const message = (id: string) => {
    const headers = signMessage(secret, id, '{}');
    return call('POST', `${org.app}/app/${org.code}/hooks/hooked?env=test`, { body: '{}', headers });
  };
  assertProblem(await message('one'), 'workspace_suspended');
  const unsigned = await call('POST', `${org.app}/app/${org.code}/hooks/hooked?env=test`, { body: '{}' });
  assertProblem(unsigned, 'signature_invalid');
  interface Hook {
    readonly ready: boolean;
    readonly reason: string;
    readonly calls: { readonly refused: readonly { readonly id: string; readonly code: string }[] };
  }
  const hook = (await manage<Hook>(org, 'GET', '/hooks/hooked')).body;
  assert.deepEqual([hook.ready, hook.reason], [false, 'workspace_suspended']);
  assert.deepEqual(
    hook.calls.refused.map(({ id, code }) => [id, code]),
    [['one', 'workspace_suspended']],
  );
  await resume(org);
  assert.equal((await list(founder, 'order')).items.length, orders);
  assert.equal((await message('one')).status, 202);
});

test('deliveries and runs of a suspended workspace wait, and arrive when it is resumed', async (t) => {
  const { org, founder } = await shop();
  const receiver = await startReceiver(t);
  await makeEvent(org, 'tell', receiver.url);
  const slow = { name: 'slow', content: { name: 'slow', steps: [{ id: 'pause', type: 'wait', seconds: 2 }, made] } };
  assert.equal((await manage(org, 'POST', '/config/logicblock', { body: slow })).status, 201);
  // The endpoint does not answer yet, so what is written waits for its next attempt.
  receiver.answer = (reply) => void reply.writeHead(503).end();
  const { run } = (await beginRun(org, 'slow')).body;
  await create(founder, 'order', { title: 'waits' });
  await suspend(org);
  receiver.answer = (reply) => void reply.end('thanks');
  await resume(org);
  await deliveries(
    org,
    '?event=tell',
    (items) => items.length === 2 && items.every(({ state }) => state === 'delivered'),
  );
  await reaches(org, run, 'done');
});

test('what was put off by a minute in a suspended workspace goes on at once after the resume', async () => {
  const org = await multiOrg(gateways);
  for (const name of ['Alpha', 'Beta']) await founderOf(org, name);
  const begin = async (name: string, code: string): Promise<string> => {
    const reply = await beginRun(org, name, code);
    assert.equal(reply.status, 202, reply.text);
    return reply.body.run;
  };
  for (const [name, seconds] of Object.entries({ short: 2, long: 20 })) {
    const content = { name, steps: [{ id: 'pause', type: 'wait', seconds }] };
    const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
    assert.equal(reply.status, 201, reply.text);
  }
  const waiting = await begin('short', 'alpha');
  await suspend(org, 'alpha');
  // It comes due after the other one, which was looked at by then.
  await reaches(org, await begin('short', 'beta'), 'done');
  const long = await begin('long', 'beta');
  await resume(org, 'alpha');
  await reaches(org, waiting, 'done');
  assert.equal((await manage<{ state: string }>(org, 'GET', `/runs/${long}`)).body.state, 'waiting');
});

test('jobs of the org about a suspended workspace go on, and its storage is counted', async () => {
  const { org, founder } = await shop();
  const user = await signIn(org);
  await create(founder, 'order', { title: 'of main' });
  await suspend(org);
  const change = await manage(org, 'PUT', '/api/create-order', {
    body: definition('order', [
      { name: 'title', index: true },
      { name: 'note', index: true },
    ]),
  });
  assert.ok(change.status < 300, change.text);
  await erase(org, user, 'keep');
  const shown = (await manage<Shown & { readonly records: number }>(org, 'GET', '/org/workspaces/main')).body;
  assert.deepEqual([shown.records, shown.members], [1, 1]);
  await resume(org);
  assert.deepEqual((await list(founder, 'user', `?email=${user.email}`)).items, []);
});

test('builders see which workspaces are suspended, since when and why, and the audit log has both changes', async () => {
  const org = await multiOrg(gateways);
  for (const name of ['Alpha', 'Beta', 'Gamma']) await founderOf(org, name);
  for (const code of ['alpha', 'gamma']) await suspend(org, code);
  assert.deepEqual(await codes(org, ''), ['alpha', 'beta', 'gamma']);
  assert.deepEqual(await codes(org, 'state=suspended'), ['alpha', 'gamma']);
  assert.deepEqual(await codes(org, 'state=suspended&prefix=g'), ['gamma']);
  assert.deepEqual(await codes(org, 'state=suspended&env=prod'), []);
  const first = await manage<{ items: readonly Shown[]; nexttoken: string }>(
    org,
    'GET',
    '/org/workspaces?state=suspended&pagesize=1',
  );
  assert.deepEqual(await codes(org, `state=suspended&pagesize=1&nexttoken=${first.body.nexttoken}`), ['gamma']);
  assertProblem(await manage(org, 'GET', `/org/workspaces?nexttoken=${first.body.nexttoken}`), 'invalid_cursor');
  const { suspended } = (await manage<Shown>(org, 'GET', '/org/workspaces/alpha')).body;
  const me = (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id;
  assert.deepEqual([suspended?.by, suspended?.reason], [me, reason]);
  assert.equal((await control(org, { code: 'alpha', action: 'resume', body: { reason: 'It is paid.' } })).status, 204);
  assert.equal((await manage<Shown>(org, 'GET', '/org/workspaces/alpha')).body.suspended, null);
  assert.deepEqual(await codes(org, 'state=suspended'), ['gamma']);
  interface Entry {
    readonly action: string;
    readonly tenant_code: string;
    readonly detail?: { readonly reason?: string };
  }
  const entries = async (action: string) =>
    (await manage<{ items: readonly Entry[] }>(org, 'GET', `/audit?env=test&action=${action}`)).body.items.map(
      ({ tenant_code, detail }) => [tenant_code, detail?.reason],
    );
  assert.deepEqual(await entries('workspace.suspended'), [
    ['gamma', reason],
    ['alpha', reason],
  ]);
  assert.deepEqual(await entries('workspace.resumed'), [['alpha', 'It is paid.']]);
});

test('only an org admin suspends and resumes, only what is there, and each once', async () => {
  const { org } = await shop();
  const other = await signUp(gateways);
  const developer = await joinOrg(org, 'developer');
  for (const action of ['suspend', 'resume'] as const) {
    const path = `/org/workspaces/main/${action}`;
    assertProblem(await call('POST', org.management + path, { body: { env: 'test', reason } }), 'token_missing');
    assertProblem(await control(org, { code: 'main', action, token: 'x.y.z' }), 'token_invalid');
    assertProblem(await control(org, { code: 'main', action, token: developer.token }), 'role_required');
    assertProblem(await control(other, { code: 'main', action }), 'not_found');
    for (const code of ['none', 'MAIN', 'a~b', 'x'.repeat(200)])
      assertProblem(await control(org, { code, action }), 'not_found');
    assertProblem(await control(org, { code: 'main', action, body: { env: 'prod' } }), 'not_found');
    for (const body of [{ env: 'none' }, { env: 'test', reason: '' }, { env: 'test', reason: 'x'.repeat(501) }])
      assertProblem(await control(org, { code: 'main', action, body }), 'validation_failed');
    assertProblem(await control(org, { code: 'main', action, body: { code: 'main' } }), 'unknown_field');
  }
  const bare = await manage(org, 'POST', '/org/workspaces/main/suspend', { body: { env: 'test' } });
  assertProblem(bare, 'validation_failed');
  assertProblem(await control(org, { code: 'main', action: 'resume' }), 'conflict');
  await suspend(org);
  assertProblem(await control(org, { code: 'main', action: 'suspend' }), 'conflict');
});

test('a suspension holds in its environment alone', async () => {
  const { org, founder } = await shop();
  await provision(org);
  await deploy(org);
  const customer = await prodFounder(org);
  await suspend(org, 'main', 'prod');
  assertProblem(await act(customer, 'GET', '/list/order'), 'workspace_suspended');
  assert.equal((await act(founder, 'GET', '/list/order')).status, 200);
  const look = { env: 'prod', tenant_code: 'main', user_id: customer.id, reason };
  const { token } = (await viewAs(org, look)).body;
  assert.equal((await act({ ...customer, token }, 'GET', '/list/order')).status, 200);
});
