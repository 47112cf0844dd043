/** The routes about the person who calls, and how tokens end before their time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAppToken } from './app-token.ts';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  deny,
  type Exchanged,
  exchangeToken,
  foundedOrg,
  grant,
  logIn,
  memberWith,
  password,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
await create(founder, 'order', { title: 'standing' });

interface Me {
  readonly id: string;
  readonly fn: string;
  readonly ln: string;
  readonly picture?: string;
  readonly role: string;
}

const newPassword = 'another horse entirely';

async function me(user: AppUser): Promise<Me> {
  const reply = await act<Me>(user, 'GET', '/user/me');
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Another token of the same person. */
async function again(user: AppUser): Promise<AppUser> {
  return signIn(org, user.email, user.password);
}

function changePassword(user: AppUser, change: Readonly<Record<string, unknown>> = {}): Promise<Reply<Exchanged>> {
  const body = { current_password: user.password, new_password: newPassword, ...change };
  return act<Exchanged>(user, 'POST', '/user/password', { body });
}

async function isAlive({ token }: AppUser): Promise<boolean> {
  const reply = await call('GET', appUrl(org, '/user/me'), { token });
  if (reply.status !== 200) assertProblem(reply, 'token_invalid');
  return reply.status === 200;
}

test('`GET /user/me` tells what stands now, whatever the token says', async () => {
  const member = await memberWith(founder, []);
  const changed = await act(founder, 'PUT', `/update/user/${member.id}`, { body: { fn: 'Ada', role: 'clerk' } });
  assert.equal(changed.status, 200, changed.text);
  const { fn, role, id } = await me(member);
  assert.deepEqual({ fn, role, id }, { fn: 'Ada', role: 'clerk', id: member.id });
});

test('`PUT /user/me` changes the profile, the record of the workspace and the next token', async () => {
  const member = await memberWith(founder, []);
  const body = { fn: 'Ada', ln: 'Lovelace', picture: 'https://example.com/ada.png' };
  const reply = await act<Me>(member, 'PUT', '/user/me', { body });
  assert.equal(reply.status, 200, reply.text);
  const { fn, ln, picture } = reply.body;
  assert.deepEqual({ fn, ln, picture }, body);
  const record = (await act(founder, 'GET', `/item/user/${member.id}`)).body;
  assert.deepEqual({ fn: record.fn, ln: record.ln, picture: record.picture }, body);
  const { claims } = await readAppToken(org.app, (await exchangeToken(org, member.token)).body.token);
  assert.deepEqual([claims.fn, claims.ln], ['Ada', 'Lovelace']);
  const cleared = await act<Me>(member, 'PUT', '/user/me', { body: { picture: null, ln: null } });
  assert.equal(cleared.status, 200, cleared.text);
  assert.deepEqual(await me(member), cleared.body);
  assert.deepEqual([cleared.body.fn, cleared.body.ln, cleared.body.picture], ['Ada', '', undefined]);
});

test('A44: of oneself nothing can be changed but names and picture, and no other user is changed', async () => {
  const member = await memberWith(founder, []);
  const before = await me(member);
  for (const name of ['id', 'user_id', 'tenant_id', 'org', 'email', 'role', 'status', 'email_verified']) {
    const body = `{"fn":"Eve","${name}":${JSON.stringify(founder.id)}}`;
    const problem = assertProblem(await act(member, 'PUT', '/user/me', { body }), 'unknown_field');
    assert.deepEqual(pointers(problem), [`/${name}`]);
  }
  for (const query of [`?user_id=${founder.id}`, `?tenant_id=${founder.tenantId}`])
    assertRefusal(await act(member, 'PUT', `/user/me${query}`, { body: { fn: 'Eve' } }), [400]);
  const wrong = assertRefusal(
    await act(member, 'PUT', '/user/me', { body: { fn: 7, ln: 'x'.repeat(129), picture: ['x'] } }),
    [400],
  );
  assert.deepEqual(pointers(wrong), ['/fn', '/ln', '/picture']);
  for (const body of ['[]', '"x"', 'null', '{']) assertRefusal(await act(member, 'PUT', '/user/me', { body }), [400]);
  assert.deepEqual(await me(member), before);
});

test('A35: a changed password ends every older token, gives a fresh one, and is the one that holds', async () => {
  const member = await memberWith(founder, [allow('listorder')]);
  const other = await again(member);
  const pending = (await logIn(org, member.email)).body.token;
  const reply = await changePassword(member);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get('x-service-token'), reply.body.token);
  for (const { token } of [member, other]) {
    assertProblem(await act(member, 'GET', '/list/order', { token }), 'token_invalid');
    assertProblem(await exchangeToken(org, token), 'token_invalid');
  }
  assertProblem(await exchangeToken(org, pending), 'token_invalid');
  assert.equal((await act(member, 'GET', '/list/order', { token: reply.body.token })).status, 200);
  assertProblem(await logIn(org, member.email), 'credentials_invalid');
  assert.equal((await logIn(org, member.email, newPassword)).status, 200);
});

test('a password can be changed only by its owner, and not to one that is too short', async () => {
  const member = await memberWith(founder, []);
  assertProblem(await changePassword(member, { current_password: `${password}!` }), 'credentials_invalid');
  const short = assertRefusal(await changePassword(member, { new_password: 'short' }), [400]);
  assert.deepEqual(pointers(short), ['/new_password']);
  for (const value of [{ $ne: null }, ['x'], 7, null])
    for (const name of ['current_password', 'new_password']) {
      const problem = assertRefusal(await changePassword(member, { [name]: value }), [400]);
      assert.deepEqual(pointers(problem), [`/${name}`]);
    }
  assertProblem(await changePassword(member, { user_id: founder.id }), 'unknown_field');
  assert.ok(await isAlive(member));
  assert.equal((await logIn(org, member.email)).status, 200);
});

test('guesses of a password are braked here as they are at sign-in', async () => {
  const member = await memberWith(founder, []);
  for (let guess = 0; guess < 10; guess++)
    assertProblem(await changePassword(member, { current_password: `guess ${guess}` }), 'credentials_invalid');
  assertProblem(await changePassword(member), 'rate_limited');
  assertProblem(await logIn(org, member.email), 'rate_limited');
});

test('of parallel changes of a password one is made', async () => {
  const member = await memberWith(founder, []);
  const replies = await Promise.all(
    Array.from({ length: 4 }, (_, index) => changePassword(member, { new_password: `${newPassword} ${index}` })),
  );
  assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
  for (const reply of replies) if (reply.status !== 200) assertRefusal(reply, [401, 409]);
  const winner = replies.findIndex((reply) => reply.status === 200);
  assert.equal((await logIn(org, member.email, `${newPassword} ${winner}`)).status, 200);
});

test('A20: a logout ends the token in hand, also for an exchange, and no other', async () => {
  const member = await memberWith(founder, []);
  const other = await again(member);
  const out = await act(member, 'POST', '/user/logout');
  assert.equal(out.status, 204, out.text);
  assert.ok(!(await isAlive(member)));
  assertProblem(await exchangeToken(org, member.token), 'token_invalid');
  assert.ok(await isAlive(other));
});

test('A20: a logout everywhere ends every token of the person, tokens to come out of a login included, and not those of others', async () => {
  const member = await memberWith(founder, []);
  const other = await again(member);
  const pending = (await logIn(org, member.email)).body.token;
  const out = await act(member, 'POST', '/user/logout', { body: { everywhere: true } });
  assert.equal(out.status, 204, out.text);
  for (const user of [member, other]) {
    assert.ok(!(await isAlive(user)));
    assertProblem(await exchangeToken(org, user.token), 'token_invalid');
  }
  assertProblem(await exchangeToken(org, pending), 'token_invalid');
  assert.ok(await isAlive(founder));
  assert.ok(await isAlive(await again(member)));
});

test('a logout that is not understood ends nothing', async () => {
  const member = await memberWith(founder, []);
  const bodies = [{ everywhere: 'yes' }, { everywhere: null }, { user_id: founder.id }, [], 'x'];
  for (const body of bodies)
    assertRefusal(await act(member, 'POST', '/user/logout', { body: JSON.stringify(body) }), [400]);
  assertRefusal(await act(member, 'POST', '/user/logout?everywhere=true', { body: {} }), [400]);
  assert.ok(await isAlive(member));
});

interface Permissions {
  readonly entities: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly statements: readonly unknown[];
}

test('`GET /user/permissions` answers for each entity what the routes would', async () => {
  const member = await memberWith(founder, [
    allow(['listorder', 'getorder', 'countuser']),
    deny('getorder', '/item/*'),
  ]);
  const statement = allow('createorder', '/create/order');
  await grant(founder, member, [statement]);
  const reply = await act<Permissions>(member, 'GET', '/user/permissions');
  assert.equal(reply.status, 200, reply.text);
  const { order, user, ...others } = reply.body.entities;
  const none = { get: false, list: false, count: false, create: false, update: false, delete: false, browse: false };
  assert.deepEqual(order, { ...none, list: true, create: true });
  assert.deepEqual(user, { ...none, count: true });
  assert.deepEqual(Object.keys(others).sort(), ['aclpolicy', 'group', 'useraclpolicy', 'usergroup', 'userrole']);
  for (const answers of Object.values(others)) assert.deepEqual(answers, none);
  assert.equal(reply.body.statements.length, 3);
  assert.ok(
    reply.body.statements.some((held) => JSON.stringify(held) === JSON.stringify(statement)),
    reply.text,
  );
  const all = (await act<Permissions>(founder, 'GET', '/user/permissions')).body.entities;
  for (const answers of Object.values(all)) assert.ok(Object.values(answers).every((answer) => answer));
});

test('A34: who was removed and comes back by an invitation does not bring the tokens from before', async () => {
  const member = await memberWith(founder, [allow('listorder')]);
  assert.equal((await act(founder, 'DELETE', `/delete/user/${member.id}`)).status, 204);
  const invited = await act(founder, 'POST', '/user/invitations', { body: { email: member.email } });
  assert.equal(invited.status, 201, invited.text);
  const login = await logIn(org, member.email);
  const outside = (await exchangeToken(org, login.body.token)).body.token;
  const body = { code: invited.body.code };
  const accepted = await act(member, 'POST', '/user/acceptinvitation', { token: outside, body });
  assert.ok(accepted.status < 300, accepted.text);
  const fresh = (await exchangeToken(org, outside)).body.token;
  assert.equal((await act(member, 'GET', '/list/order', { token: fresh })).status, 200);
  assertProblem(await act(member, 'GET', '/list/order'), 'token_invalid');
});
