/** Who is in an org, by what invitation, with what role, and with what sessions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '@freehold/contract/problem';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { assertNow, daySeconds, weekSeconds } from './moments.ts';
import { exchangeToken, foundedOrg, logIn, manage, newEmail, type Org, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const missing = '01890000-0000-7000-8000-000000000000';

interface OrgUser {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly status: string;
}

interface Invited extends OrgUser {
  readonly code: string;
  readonly url: string;
  readonly expires_at: string;
}

interface LoggedIn {
  readonly token: string;
  readonly user: { readonly id: string; readonly email: string };
  readonly org: { readonly code: string };
  readonly orgs: readonly { readonly code: string; readonly role: string }[];
}

async function users(org: Org): Promise<readonly OrgUser[]> {
  const reply = await manage<{ items: readonly (OrgUser & { last_seen_at?: string })[] }>(org, 'GET', '/org/users');
  assert.equal(reply.status, 200, reply.text);
  // When a member was seen is noted behind the answers of calls.
  return reply.body.items.map(({ last_seen_at: _, ...user }) => user);
}

async function invite(org: Org, role = 'developer', email = newEmail('invited')): Promise<Invited> {
  const reply = await manage<Invited>(org, 'POST', '/org/users', { body: { email, role } });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

function accept(body: unknown): Promise<Reply<LoggedIn>> {
  return call<LoggedIn>('POST', `${gateways.management}/auth/accept-invitation`, { body });
}

/** A new member of the org, with an account of its own. */
async function join(org: Org, role = 'developer'): Promise<LoggedIn> {
  const { code } = await invite(org, role);
  const reply = await accept({ code, password, name: 'Ina Invited' });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

function changeRole(org: Org, id: string, role: string, options: CallOptions = {}) {
  return manage(org, 'PUT', `/org/users/${id}`, { body: { role }, ...options });
}

function remove(org: Org, id: string, options: CallOptions = {}) {
  return manage(org, 'DELETE', `/org/users/${id}`, options);
}

async function myId(org: Org): Promise<string> {
  return (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id;
}

test('an invitation admits no one once its sender is no org admin, until an org admin chooses its role again', async () => {
  const org = await signUp(gateways);
  const second = await join(org, 'org_admin');
  const by = async (email: string) =>
    (await manage<Invited>(org, 'POST', '/org/users', { token: second.token, body: { email, role: 'org_admin' } }))
      .body;
  const [early, late] = [await by(newEmail('early')), await by(newEmail('late'))];
  assert.equal((await changeRole(org, second.user.id, 'developer')).status, 200);
  assertProblem(await accept({ code: early.code, password, name: 'Eve' }), 'escalation_refused');
  assert.equal((await remove(org, second.user.id)).status, 204);
  assertProblem(await accept({ code: late.code, password, name: 'Eve' }), 'escalation_refused');
  assert.equal((await users(org)).filter(({ status }) => status === 'active').length, 1);
  assert.equal((await changeRole(org, early.id, 'developer')).status, 200);
  const joined = await accept({ code: early.code, password, name: 'Ina' });
  assert.deepEqual([joined.status, joined.body.orgs[0]?.role], [200, 'developer']);
});

test('an invitation becomes a member with the role that it named, and a session', async () => {
  const org = await signUp(gateways);
  const { code, url, id, expires_at, email } = await invite(org);
  assert.ok(new URL(url).hash.includes(code) && url.startsWith(org.management), url);
  assertNow(expires_at, weekSeconds);
  assert.deepEqual(
    (await users(org)).map((user) => [user.status, user.role]),
    [
      ['active', 'org_admin'],
      ['invited', 'developer'],
    ],
  );
  const reply = await accept({ code, email: email.toUpperCase(), password, name: 'Ina Invited' });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.org.code, org.code);
  assert.deepEqual(
    reply.body.orgs.map(({ role }) => role),
    ['developer'],
  );
  assert.equal((await manage(org, 'GET', '/api/entities', { token: reply.body.token })).status, 200);
  const member = (await users(org)).find((user) => user.email === email);
  assert.deepEqual([member?.status, member?.role, member?.id === id], ['active', 'developer', false]);
  assert.equal((await users(org)).length, 2);
});

test('who has an account comes in with its password, and into nothing without it', async () => {
  const [org, own] = [await signUp(gateways), await signUp(gateways)];
  const { code } = await invite(org, 'developer', own.builder.email);
  assertProblem(await accept({ code, password: `${password}!`, name: 'Eve' }), 'credentials_invalid');
  assert.equal((await users(org)).filter(({ status }) => status === 'active').length, 1);
  const reply = await accept({ code, password });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(reply.body.orgs.map((one) => one.code).sort(), [own.code, org.code].sort());
  const again = await manage(org, 'POST', '/org/users', { body: { email: own.builder.email, role: 'developer' } });
  assertProblem(again, 'conflict');
});

test('A22: of many who accept one invitation at once one comes in', async () => {
  const org = await signUp(gateways);
  const { code } = await invite(org);
  const replies = await Promise.all(Array.from({ length: 32 }, () => accept({ code, password, name: 'Ina' })));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  for (const reply of replies) if (reply.status !== 200) assertRefusal(reply, [401, 404, 409]);
  assertProblem(await accept({ code, password, name: 'Ina' }), 'not_found');
  assert.equal((await users(org)).length, 2);
});

test('an invitation gives the role that it names when it is accepted', async () => {
  const org = await signUp(gateways);
  const { id, code } = await invite(org);
  const changed = await changeRole(org, id, 'org_admin');
  assert.deepEqual([changed.status, changed.body.status, changed.body.role], [200, 'invited', 'org_admin']);
  const reply = await accept({ code, password, name: 'Ina' });
  assert.equal((await manage(org, 'GET', '/org/users', { token: reply.body.token })).status, 200);
});

test('a withdrawn invitation, a made-up code and another’s email admit no one', async () => {
  const org = await signUp(gateways);
  const invited = await invite(org);
  const other = await accept({ code: invited.code, email: newEmail('eve'), password, name: 'Eve' });
  assert.deepEqual(pointers(assertRefusal(other, [400])), ['/email']);
  assert.equal((await remove(org, invited.id)).status, 204);
  const gone = assertProblem(await accept({ code: invited.code, password, name: 'Eve' }), 'not_found');
  const made = assertProblem(await accept({ code: 'oi_made-up', password, name: 'Eve' }), 'not_found');
  assert.deepEqual({ ...gone, request_id: '' }, { ...made, request_id: '' });
  assert.equal((await users(org)).length, 1);
});

test('A31: an invitation and its acceptance name what is wrong with them, and nothing is made', async () => {
  const org = await signUp(gateways);
  const request: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ['/email', '/role']],
    [{ email: 'absent', role: 'developer' }, ['/email']],
    [{ email: newEmail('x'), role: 'owner' }, ['/role']],
    [{ email: { $ne: null }, role: ['org_admin'] }, ['/email', '/role']],
    [{ email: newEmail('x'), role: 'developer', org: 'other' }, ['/org']],
  ];
  for (const [body, wrong] of request)
    assert.deepEqual(pointers(assertRefusal(await manage(org, 'POST', '/org/users', { body }), [400])), wrong);
  const { code } = await invite(org);
  const accepted: readonly (readonly [unknown, readonly string[]])[] = [
    [{ code }, ['/password']],
    [{ code, password }, ['/name']],
    [{ code, password: 'short', name: 'Ina' }, ['/password']],
    [{ code, password, name: 7 }, ['/name']],
    [{ code, password, name: 'Ina', role: 'org_admin' }, ['/role']],
  ];
  for (const [body, wrong] of accepted) assert.deepEqual(pointers(assertRefusal(await accept(body), [400])), wrong);
  assert.equal((await users(org)).filter(({ status }) => status === 'active').length, 1);
  assert.equal((await accept({ code, password, name: 'Ina' })).status, 200);
});

test('a role counts from the next call on', async () => {
  const org = await signUp(gateways);
  const { token, user } = await join(org);
  assertProblem(await manage(org, 'GET', '/org/users', { token }), 'role_required');
  const changed = await changeRole(org, user.id, 'org_admin');
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.body.role, 'org_admin');
  assert.equal((await manage(org, 'GET', '/org/users', { token })).status, 200);
  assert.equal((await changeRole(org, await myId(org), 'developer', { token })).status, 200);
  assertProblem(await manage(org, 'GET', '/org/users'), 'role_required');
});

test('A34: who is removed is out from the next call on, and comes back by no older session', async () => {
  const org = await signUp(gateways);
  const { token, user } = await join(org);
  assert.equal((await remove(org, user.id)).status, 204);
  assertProblem(await manage(org, 'GET', '/auth/me', { token }), 'token_invalid');
  const login = { email: user.email, password };
  assertProblem(await call('POST', `${gateways.management}/auth/login`, { body: login }), 'credentials_invalid');
  const { code } = await invite(org, 'developer', user.email);
  assert.equal((await accept({ code, password })).status, 200);
  assertProblem(await manage(org, 'GET', '/auth/me', { token }), 'token_invalid');
});

test('the last org admin stays, whatever role others have', async () => {
  const org = await signUp(gateways);
  await join(org);
  const id = await myId(org);
  assertProblem(await remove(org, id), 'last_admin');
  assertProblem(await changeRole(org, id, 'developer'), 'last_admin');
  assert.equal((await users(org)).length, 2);
  assert.equal((await manage(org, 'GET', '/org/users')).status, 200);
});

test('of admins who remove one another at once one stays', async () => {
  const org = await signUp(gateways);
  const admins = await Promise.all(Array.from({ length: 5 }, () => join(org, 'org_admin')));
  const everyone = [{ id: await myId(org), token: org.builder.token }].concat(
    admins.map(({ user, token }) => ({ id: user.id, token })),
  );
  const replies = await Promise.all(
    everyone.map(({ token }, index) => {
      const id = everyone[(index + 1) % everyone.length]?.id ?? '';
      return index % 2 === 0 ? remove(org, id, { token }) : changeRole(org, id, 'developer', { token });
    }),
  );
  for (const reply of replies) if (reply.status >= 300) assertRefusal(reply, [401, 403, 404, 409]);
  const seen = await Promise.all(
    everyone.map(({ token }) => manage<{ items: OrgUser[] }>(org, 'GET', '/org/users', { token })),
  );
  const admin = seen.find(({ status }) => status === 200);
  assert.ok(admin !== undefined, 'no admin is left to manage the org');
  assert.ok(admin.body.items.some(({ role }) => role === 'org_admin'));
});

test('users, invitations and sessions of another org are as good as missing, and stay as they are', async () => {
  const [org, other] = [await signUp(gateways), await signUp(gateways)];
  const member = await join(other);
  const invited = await invite(other);
  const before = await users(other);
  for (const id of [member.user.id, invited.id]) {
    for (const send of [remove, (place: Org, at: string) => changeRole(place, at, 'org_admin')]) {
      const foreign = assertProblem(await send(org, id), 'not_found');
      const unknown = assertProblem(await send(org, missing), 'not_found');
      assert.deepEqual({ ...foreign, request_id: '' }, { ...unknown, request_id: '' });
    }
  }
  for (const id of ['x', 'x'.repeat(3000), missing.toUpperCase(), '%20'])
    assertRefusal(await remove(org, id), [400, 404]);
  assert.deepEqual(await users(other), before);
});

interface Sessions {
  readonly items: readonly { readonly id: string; readonly org: string; readonly current: boolean }[];
}

async function sessions(org: Org, token = org.builder.token): Promise<Sessions['items']> {
  const reply = await manage<Sessions>(org, 'GET', '/auth/sessions', { token });
  assert.equal(reply.status, 200, reply.text);
  assert.ok(!reply.text.includes('hash') && !reply.text.includes('fm_'), reply.text);
  return reply.body.items;
}

test('a person sees the own sessions and ends them one by one, and not those of others', async () => {
  const [org, other] = [await signUp(gateways), await signUp(gateways)];
  const login = { email: org.builder.email, password };
  const second = await call<LoggedIn>('POST', `${gateways.management}/auth/login`, { body: login });
  const items = await sessions(org);
  assert.deepEqual(
    items.map(({ current }) => current),
    [true, false],
  );
  const id = items[1]?.id ?? '';
  for (const target of [id, missing, 'x'])
    assertProblem(await manage(other, 'DELETE', `/auth/sessions/${target}`), 'not_found');
  assert.equal((await manage(org, 'DELETE', `/auth/sessions/${id}`)).status, 204);
  assertProblem(await manage(org, 'GET', '/auth/me', { token: second.body.token }), 'token_invalid');
  assertProblem(await manage(org, 'DELETE', `/auth/sessions/${id}`), 'not_found');
  assert.deepEqual(
    (await sessions(org)).map(({ current }) => current),
    [true],
  );
});

test('a session is switched to another org of the person, and to none that is not', async () => {
  const [org, own] = [await signUp(gateways), await signUp(gateways)];
  const { code } = await invite(org, 'developer', own.builder.email);
  assert.equal((await accept({ code, password })).status, 200);
  const switched = await manage<LoggedIn>(own, 'POST', '/auth/switch-org', { body: { org: org.code } });
  assert.equal(switched.status, 200, switched.text);
  const there = await manage<{ role: string; org: { code: string } }>(org, 'GET', '/auth/me', {
    token: switched.body.token,
  });
  assert.deepEqual([there.body.org.code, there.body.role], [org.code, 'developer']);
  assertProblem(await manage(org, 'GET', '/org/users', { token: switched.body.token }), 'role_required');
  for (const code of [own.code, 'nowhere', '../x'])
    assertProblem(await manage(org, 'POST', '/auth/switch-org', { body: { org: code } }), 'not_found');
  assertRefusal(await manage(org, 'POST', '/auth/switch-org', { body: { org: { $ne: null } } }), [400]);
});

function cookieOf(reply: Reply<unknown>): string {
  const set = reply.headers.get('set-cookie') ?? '';
  assert.match(set, /; HttpOnly/);
  assert.match(set, /; SameSite=Strict/);
  return set.slice(0, set.indexOf(';'));
}

test('a page gets its session in a cookie alone, and changes things from this very address alone', async () => {
  const org = await signUp(gateways);
  const body = { email: org.builder.email, password };
  const options = { body, headers: { 'x-session': 'cookie' } };
  const login = await call('POST', `${org.management}/auth/login`, options);
  assert.equal(login.status, 200, login.text);
  assert.ok(!('token' in login.body) && !login.text.includes('fm_'), login.text);
  const cookie = cookieOf(login);
  const send = (method: string, path: string, headers: Record<string, string> = {}, sent?: unknown) =>
    call(method, org.management + path, {
      headers: { cookie, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    });
  assert.equal((await send('GET', '/auth/me')).status, 200);
  const invitation = { email: newEmail('x'), role: 'developer' };
  const { port } = new URL(org.management);
  const foreign = [
    'https://evil.example',
    'null',
    `http://localhost:${port}`,
    `${org.management}.evil.example`,
    org.app,
  ];
  for (const origin of foreign)
    assertProblem(await send('POST', '/org/users', { origin }, invitation), 'origin_refused');
  assertProblem(await send('POST', '/org/users', {}, invitation), 'origin_refused');
  assertProblem(await send('POST', '/auth/logout', { origin: 'https://evil.example' }), 'origin_refused');
  assert.equal((await users(org)).length, 1);
  assert.equal((await send('POST', '/org/users', { origin: org.management }, invitation)).status, 201);
  const bearer = { authorization: `Bearer ${org.builder.token}`, origin: 'https://evil.example' };
  assertProblem(await send('GET', '/auth/me', bearer), 'invalid_request');
  assert.equal((await call('GET', `${org.management}/auth/me`, { headers: bearer })).status, 200);
  assert.equal((await send('GET', '/auth/me', { cookie: `${cookie}; ${cookie}` })).status, 200);
  assertProblem(await send('GET', '/auth/me', { cookie: `${cookie}; ${cookie}x` }), 'invalid_request');
  assertProblem(await send('GET', '/auth/me', { authorization: 'Bearer wrong' }), 'invalid_request');
  const out = await send('POST', '/auth/logout', { origin: org.management });
  assert.equal(out.status, 204, out.text);
  assert.match(cookieOf(out), /=$/);
  assertProblem(await send('GET', '/auth/me'), 'token_invalid');
});

test('a client id is rotated, and the one before it goes on for a day', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const rotate = (env = 'test') =>
    manage<{ client_id: string; previous: { client_id: string; until: string } }>(
      org,
      'POST',
      `/org/environments/${env}/rotate-client-id`,
    );
  const { status, body } = await rotate();
  assert.equal(status, 200);
  assert.match(body.client_id, /^test_/);
  assert.equal(body.previous.client_id, org.clientId);
  assertNow(body.previous.until, daySeconds);
  const renewed = { ...org, clientId: body.client_id };
  for (const one of [org, renewed]) {
    assert.equal((await logIn(one, founder.email)).status, 200);
    assert.equal((await exchangeToken(one, founder.token)).status, 200);
  }
  const again = (await rotate()).body;
  assert.equal(again.previous.client_id, body.client_id);
  assertProblem(await logIn(org, founder.email), 'client_unknown');
  assertProblem(await exchangeToken(org, founder.token), 'client_unknown');
  for (const env of ['prod', 'stage', '__proto__']) assertProblem(await rotate(env), 'not_found');
});

test('B24: a developer, an app user and a stranger are kept from what an org admin does, and nothing is changed', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const developer = await join(org);
  const invited = await invite(org);
  const before = await users(org);
  const routes: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/org/users'],
    ['POST', '/org/users', { email: newEmail('x'), role: 'org_admin' }],
    ['PUT', `/org/users/${developer.user.id}`, { role: 'org_admin' }],
    ['PUT', `/org/users/${invited.id}`, { role: 'org_admin' }],
    ['DELETE', `/org/users/${invited.id}`],
    ['DELETE', `/org/users/${await myId(org)}`],
    ['POST', '/org/environments/test/rotate-client-id'],
  ];
  const callers: readonly (readonly [string | undefined, ProblemCode])[] = [
    [undefined, 'token_missing'],
    ['abc', 'token_invalid'],
    [founder.token, 'token_invalid'],
    [developer.token, 'role_required'],
  ];
  for (const [method, path, body] of routes)
    for (const [token, code] of callers) {
      const sent = { ...(token === undefined ? {} : { token }), ...(body === undefined ? {} : { body }) };
      assertProblem(await call(method, org.management + path, sent), code);
    }
  assert.deepEqual(await users(org), before);
});
