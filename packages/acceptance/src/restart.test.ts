import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  logIn,
  manage,
  memberWith,
  type Org,
  type StoredRecord,
  signIn,
} from './org.ts';
import type { Platform } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

/** The same org and user, where the platform now listens. */
function movedTo(platform: Platform, user: AppUser): AppUser {
  const org: Org = { ...user.org, app: platform.app, management: platform.management };
  return { ...user, org };
}

async function orderedOrg(platform: Platform) {
  const founded = await foundedOrg(platform);
  await defineEntity(founded.org, definition('order', [{ name: 'title', colType: 'string', index: true }]));
  return founded;
}

test('kill -9 under a stream of writes loses no write that was answered and leaves none half-written', async (t) => {
  let platform = await platformOf(t);
  const { founder } = await orderedOrg(platform);
  const answered: StoredRecord[] = [];
  for (let round = 0; round < 3; round++) {
    const user = movedTo(platform, founder);
    const writers = Array.from({ length: 8 }, () => writeUntilGone(user, answered));
    const wanted = answered.length + 150;
    while (answered.length < wanted) await act(user, 'GET', '/count/order');
    await platform.kill();
    await Promise.all(writers);
    platform = await platformOf(t, { dataDir: platform.dataDir });
  }
  const user = movedTo(platform, founder);
  const stored = await Promise.all(answered.map((record) => act(user, 'GET', `/item/order/${record.id}`)));
  assert.deepEqual(
    stored.map((reply) => reply.body),
    answered,
  );
  const all = await everyOrder(user);
  assert.equal(new Set(all.map((record) => record.id)).size, all.length);
  assert.equal(await count(user, 'order'), all.length, 'the count is the number of records');
  assert.equal(await count(user, 'order', '?title=one'), all.length, 'the index holds each record');
  const entities = await manage<{ items: readonly { records: number }[] }>(user.org, 'GET', '/api/entities');
  assert.equal(entities.body.items[0]?.records, all.length);
});

async function writeUntilGone(user: AppUser, answered: StoredRecord[]): Promise<void> {
  for (;;) {
    try {
      const reply = await act(user, 'POST', '/create/order', { body: { title: 'one' } });
      assert.equal(reply.status, 201, reply.text);
      answered.push(reply.body);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function everyOrder(user: AppUser): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = [];
  let cursor = '';
  for (;;) {
    const page = await list(user, 'order', `?pagesize=200${cursor}`);
    found.push(...page.items);
    if (page.nexttoken === null) return found;
    cursor = `&nexttoken=${encodeURIComponent(page.nexttoken)}`;
  }
}

test('tokens, cursors, policies, accounts and definitions outlive a restart on other ports', async (t) => {
  const first = await platformOf(t);
  const { org, founder } = await orderedOrg(first);
  const member = await memberWith(founder, [{ Effect: 'Allow', Action: ['listorder'], Resource: ['*'] }]);
  for (const title of ['a', 'b', 'c']) await create(founder, 'order', { title });
  const page = await list(founder, 'order', '?pagesize=2');
  await first.kill();

  const second = await platformOf(t, { dataDir: first.dataDir });
  assert.notEqual(second.app, first.app);
  const [movedFounder, movedMember] = [movedTo(second, founder), movedTo(second, member)];
  const rest = await list(movedFounder, 'order', `?pagesize=2&nexttoken=${encodeURIComponent(page.nexttoken ?? '')}`);
  assert.equal(rest.items.length, 1);
  assert.equal((await list(movedMember, 'order')).items.length, 3);
  assert.equal((await act(movedMember, 'POST', '/create/order', { body: { title: 'd' } })).status, 403);
  assert.equal((await manage(movedFounder.org, 'GET', '/auth/me')).status, 200);
  const back = await signIn(movedFounder.org, founder.email);
  assert.equal(back.id, founder.id);
  const login = await call('POST', `${second.management}/auth/login`, {
    body: { email: org.builder.email, password: org.builder.password },
  });
  assert.equal(login.status, 200, login.text);
});

test('a password-login token is spent once, also over a restart', async (t) => {
  const first = await platformOf(t);
  const { founder } = await foundedOrg(first);
  const { token } = (await logIn(founder.org, founder.email)).body;
  const exchange = (user: AppUser) =>
    call('GET', `${user.org.app}/app/${user.org.code}/token`, {
      headers: { oauthtoken: token, client_id: user.org.clientId },
    });
  assert.equal((await exchange(founder)).status, 200);
  await first.kill();
  const second = await platformOf(t, { dataDir: first.dataDir });
  assert.equal((await exchange(movedTo(second, founder))).status, 401);
});

test('SIGTERM ends readiness, lets a request in flight finish, a second one changes nothing, and the end is 0', async (t) => {
  const platform = await platformOf(t);
  const { org, founder } = await orderedOrg(platform);
  const body = JSON.stringify({ title: 'in flight' });
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(platform.app).port) });
  await once(socket, 'connect');
  const head = [
    `POST /app/${org.code}/create/order HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${founder.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The platform asks for the body once it has taken the request in hand: from here on it is in flight.
  const [requested] = (await once(socket, 'data')) as [Buffer];
  assert.match(requested.toString(), /^HTTP\/1\.1 100 /);
  const ending = platform.terminate();
  platform.child.kill('SIGTERM');
  for (const gateway of [platform.app, platform.management]) {
    await eventually('the end of readiness', async () => !(await isReady(gateway)));
    const refused = await call('GET', `${gateway}/readyz`);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  }
  socket.write(body);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 201 /);
  assert.deepEqual(await ending, { code: 0, signal: null });
  socket.destroy();

  const again = await platformOf(t, { dataDir: platform.dataDir });
  assert.equal(await count(movedTo(again, founder), 'order', '?title=in%20flight'), 1);
});

/** A connection that waits for its next request is ended by the drain, and may cross with one. */
async function isReady(gateway: string): Promise<boolean> {
  try {
    return (await call('GET', `${gateway}/readyz`)).status === 200;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

test('an idle platform drains at once, keep-alive connections or not', async (t) => {
  // A connection that holds the drain up would hold it for ever.
  const limits = new URL('./endless-limits.ts', import.meta.url).href;
  const platform = await platformOf(t, { nodeFlags: ['--import', limits] });
  await foundedOrg(platform);
  assert.deepEqual(await platform.terminate(), { code: 0, signal: null });
});
