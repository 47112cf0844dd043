/** The sessions of a builder: with what each is used, and how they end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { eventually } from './eventually.ts';
import { assertNow } from './moments.ts';
import { joinOrg, manage, type Org, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

interface Session {
  readonly id: string;
  readonly org: string;
  readonly current: boolean;
  readonly client?: string;
  readonly last_used_at?: string;
}

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const hostile = '<img src=x onerror=alert(1)> =cmd()';

async function newSession({ builder: { email } }: Org): Promise<string> {
  const body = { email, password };
  const reply = await call<{ token: string }>('POST', `${gateways.management}/auth/login`, { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.token;
}

async function sessionsOf(org: Org, token: string, userAgent = firefox): Promise<readonly Session[]> {
  const headers = { 'user-agent': userAgent };
  const reply = await manage<{ items: readonly Session[] }>(org, 'GET', '/auth/sessions', { token, headers });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

const isAlive = async (org: Org, token: string) => (await manage(org, 'GET', '/auth/me', { token })).status === 200;

test('each session tells in words what used it, and when', async () => {
  const org = await signUp(gateways);
  const [browser, command, odd] = [await newSession(org), await newSession(org), await newSession(org)];
  const own = (await sessionsOf(org, browser)).find(({ current }) => current);
  assert.equal(own?.client, 'Firefox on Linux', 'of the session in hand it is known at once');
  for (const [token, userAgent] of [
    [command, 'freehold-cli'],
    [odd, hostile],
  ] as const)
    await sessionsOf(org, token, userAgent);
  // It is written behind the answer.
  const used = await eventually('the use of each session', async () => {
    const items = await sessionsOf(org, browser);
    return items.slice(1).every(({ last_used_at }) => last_used_at !== undefined) && items;
  });
  assert.deepEqual(
    used.slice(1).map(({ client }) => client),
    ['Firefox on Linux', 'command line', undefined],
  );
  for (const { last_used_at } of used.slice(1)) assertNow(last_used_at);
  assert.ok(!JSON.stringify(used).includes('onerror'));
});

test('a builder ends all sessions but the one in hand, in all orgs, and no other builder’s', async () => {
  const [org, second] = [await signUp(gateways), await signUp(gateways)];
  const colleague = await joinOrg(org, 'developer');
  await joinOrg(second, 'developer', org.builder.email);
  const [kept, other] = [await newSession(org), await newSession(org)];
  const there = await manage<{ token: string }>(org, 'POST', '/auth/switch-org', {
    token: kept,
    body: { org: second.code },
  });
  assert.equal(there.status, 200, there.text);
  const reply = await manage(org, 'DELETE', '/auth/sessions', { token: kept });
  assert.equal(reply.status, 200, reply.text);
  // Of the sign-up, of coming into the second org, the other one, and the one in the second org.
  assert.deepEqual(reply.body, { ended: 4 });
  for (const token of [org.builder.token, other, there.body.token]) assert.ok(!(await isAlive(org, token)));
  for (const token of [kept, colleague.token]) assert.ok(await isAlive(org, token));
  assert.deepEqual((await manage(org, 'DELETE', '/auth/sessions', { token: kept })).body, { ended: 0 });
  assert.deepEqual(
    (await sessionsOf(org, kept)).map(({ current }) => current),
    [true],
  );
});

test('only who is signed in ends sessions, and the call takes nothing', async () => {
  const org = await signUp(gateways);
  const other = await newSession(org);
  const path = '/auth/sessions';
  assertProblem(await call('DELETE', `${org.management}${path}`), 'token_missing');
  for (const token of ['junk', 'fm_junk', 'fhd_junk', 'a'.repeat(3000)])
    assertProblem(await manage(org, 'DELETE', path, { token }), 'token_invalid');
  assertProblem(await manage(org, 'DELETE', `${path}?keep=none`), 'invalid_request');
  assertProblem(await manage(org, 'DELETE', path, { body: { all: true } }), 'unknown_field');
  assert.ok(await isAlive(org, other));
  const gateway = await documentedManagement(org);
  assert.equal((await gateway.send('endOtherSessions', { token: org.builder.token })).status, 200);
});

test('the members of an org are shown with when each was seen last in it', async () => {
  const [org, elsewhere] = [await signUp(gateways), await signUp(gateways)];
  const [colleague, never] = [
    await joinOrg(org, 'developer'),
    await joinOrg(org, 'developer', elsewhere.builder.email),
  ];
  const members = async (of: Org) =>
    (await manage<{ items: readonly { id: string; last_seen_at?: string }[] }>(of, 'GET', '/org/users')).body.items;
  assert.equal((await members(org)).find(({ id }) => id === colleague.id)?.last_seen_at, undefined);
  assert.ok(await isAlive(org, colleague.token));
  assert.ok(await isAlive(elsewhere, elsewhere.builder.token));
  const seenIn = (of: Org, id: string) =>
    eventually('the use of the session', async () => (await members(of)).find((one) => one.id === id)?.last_seen_at);
  const seen = await seenIn(org, colleague.id);
  assertNow(seen);
  await seenIn(elsewhere, never.id);
  assert.equal((await members(org)).find(({ id }) => id === never.id)?.last_seen_at, undefined);
});
