/** Every request that makes, moves or mails something counts once under an `Idempotency-Key`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import {
  act,
  appUrl,
  defineEntity,
  definition,
  foundedOrg,
  manage,
  newEmail,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { change, provision } from './promotion.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title' }]));
await provision(org);
const many = await multiOrg(gateways);
const person = await founderOf(many);

type Send = (key: string, body?: unknown) => Promise<Reply<Readonly<Record<string, unknown>>>>;
type Count = () => Promise<number>;

const toManagement =
  (path: string, own: Org = org): Send =>
  (key, body) =>
    manage(own, 'POST', path, { ...(body === undefined ? {} : { body }), headers: { 'idempotency-key': key } });
const toApp =
  (path: string, user = founder): Send =>
  (key, body) =>
    act(user, 'POST', path, { ...(body === undefined ? {} : { body }), headers: { 'idempotency-key': key } });

async function listed(path: string, own = org): Promise<number> {
  return (await manage<{ readonly items: readonly object[] }>(own, 'GET', path)).body.items.length;
}

interface Making {
  readonly send: Send;
  readonly body: () => object;
  readonly other: () => object;
  readonly count: Count;
}

const workspace = founder.tenantCode;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
let number = 0;
const crew = () => ({
  name: `crew_${++number}`,
  content: { name: `crew_${number}`, status: 'active', agents: [{ name: 'clerk', prompt: 'Write.', model: 'small' }] },
});

const makings: Readonly<Record<string, Making>> = {
  'an invitation': {
    send: toApp('/user/invitations'),
    body: () => ({ email: newEmail('ivy') }),
    other: () => ({ email: newEmail('ida') }),
    count: async () => (await act<{ items: readonly object[] }>(founder, 'GET', '/user/invitations')).body.items.length,
  },
  'a workspace': {
    send: toApp('/user/workspace', person),
    body: () => ({ name: 'Same name' }),
    other: () => ({ name: 'Other name' }),
    count: async () => (await act<{ items: readonly object[] }>(person, 'GET', '/user/tenants')).body.items.length,
  },
  'a deploy key': {
    send: toManagement('/deploy/keys'),
    body: () => ({ name: 'ci', scope: 'publish', expires_at: inDays(2) }),
    other: () => ({ name: 'cd', scope: 'publish', expires_at: inDays(2) }),
    count: () => listed('/deploy/keys'),
  },
  'a service key': {
    send: toManagement('/org/service-keys'),
    body: () => ({
      env: 'test',
      tenant_code: workspace,
      name: 'server',
      policies: ['vieweracl'],
      expires_at: inDays(2),
    }),
    other: () => ({
      env: 'test',
      tenant_code: workspace,
      name: 'other',
      policies: ['vieweracl'],
      expires_at: inDays(2),
    }),
    count: () => listed('/org/service-keys'),
  },
  'a config item': {
    send: toManagement('/config/crew'),
    body: crew,
    other: crew,
    count: () => listed('/config/crew'),
  },
  'an invitation of a builder': {
    send: toManagement('/org/users'),
    body: () => ({ email: newEmail('bob'), role: 'developer' }),
    other: () => ({ email: newEmail('bea'), role: 'developer' }),
    count: () => listed('/audit?action=org_user.invited'),
  },
};

for (const [what, { send, body, other, count }] of Object.entries(makings))
  test(`${what} is made once under a key, and its answer is given again with its secret`, async () => {
    const [key, wanted] = [`key of ${what}`, body()];
    const before = await count();
    const first = await send(key, wanted);
    assert.equal(first.status, 201, first.text);
    assert.equal(first.headers.get('idempotency-replayed'), null);
    for (let time = 0; time < 2; time++) {
      const again = await send(key, wanted);
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    }
    assertProblem(await send(key, other()), 'idempotency_key_reused');
    assert.equal(await count(), before + 1);
  });

for (const [what, { send, body, count }] of Object.entries(makings))
  test(`of ${what} that is asked for many times at once one is made`, async () => {
    const [key, wanted, before] = [`many of ${what}`, body(), await count()];
    const replies = await Promise.all(Array.from({ length: 6 }, () => send(key, wanted)));
    assert.deepEqual(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1, String(replies[0]?.text));
    assert.equal(replies.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
    assert.equal(await count(), before + 1);
  });

test('a publication, an activation and a rollback under a key move production once', async () => {
  const [publish, activate] = [toManagement('/deploy/publish'), toManagement('/deploy/activate')];
  const rollback = toManagement('/deploy/rollback');
  const releases = () => listed('/deploy/history');
  for (const title of ['first', 'second']) {
    await change(org, 'create-order', { UpdateParams: [{ name: 'title', description: title }] });
    const staged: Reply = await publish(`publish ${title}`, { all: true });
    assert.equal(staged.status, 201, staged.text);
    assert.equal((await publish(`publish ${title}`, { all: true })).text, staged.text);
    const live: Reply = await activate(`activate ${title}`, {});
    assert.equal((await activate(`activate ${title}`, {})).text, live.text);
  }
  assert.equal(await releases(), 2);
  const back = await rollback('back', {});
  assert.equal(back.status, 200, back.text);
  assert.equal((await rollback('back', {})).text, back.text);
  assert.equal(await releases(), 3);
  const again = await toManagement('/user/provision-prod')('provision');
  assert.equal((await toManagement('/user/provision-prod')('provision')).text, again.text);
});

test('a client id is changed once under a key', async () => {
  const own = await signUp(gateways);
  const rotate = toManagement('/org/environments/test/rotate-client-id', own);
  const first = await rotate('rotate');
  assert.equal(first.status, 200, first.text);
  assert.equal((await rotate('rotate')).text, first.text);
  assert.notEqual((await rotate('other')).text, first.text);
});

test('a key is that of one principal, and a refusal takes none', async () => {
  const other = await signIn(org);
  const path = '/user/invitations';
  const body = { email: newEmail('kim') };
  assertProblem(await toApp(path)('shared', { email: 7 }), 'validation_failed');
  const mine = await toApp(path)('shared', body);
  assert.equal(mine.status, 201, mine.text);
  assertProblem(await toApp(path, other)('shared', body), 'access_denied');
  assertProblem(await toApp(path)('k'.repeat(256), body), 'invalid_request');
});

test('what takes no key answers as if there were none', async () => {
  const headers = { 'idempotency-key': 'k', client_id: org.clientId };
  const email = newEmail('ann');
  for (let time = 0; time < 2; time++) {
    const reply = await call('POST', appUrl(org, '/login'), {
      body: { email, password: 'correct horse battery' },
      headers,
    });
    assert.deepEqual([reply.status, reply.headers.get('idempotency-replayed')], [200, null], reply.text);
  }
});
