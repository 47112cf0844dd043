import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import {
  allow,
  appUrl,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  memberWith,
  newEmail,
  password,
  type Statement,
  signUp,
  withCondition,
} from './org.ts';
import { platformOf, platformOfFile } from './platform-for-tests.ts';

test('H05: behind a trusted proxy failures count for the client it names; else for the connection', async (t) => {
  for (const [trusted, lastStatus] of [
    ['127.0.0.1', 401],
    ['', 429],
  ] as const) {
    const platform = await platformOf(t, { env: { FREEHOLD_TRUSTED_PROXIES: trusted } });
    const org = await signUp(platform);
    const email = newEmail('victim');
    const logIn = (secret: string, client: string) =>
      call('POST', `${platform.app}/app/${org.code}/login`, {
        body: { email, password: secret },
        headers: { client_id: org.clientId, 'x-forwarded-for': client },
      });
    assert.equal((await logIn(password, '192.0.2.1')).status, 200);
    for (let attempt = 0; attempt < 10; attempt++) await logIn('wrong password', '192.0.2.7');
    assert.equal((await logIn('wrong password', '192.0.2.7')).status, 429);
    assert.equal((await logIn('wrong password', '192.0.2.8')).status, lastStatus);
  }
});

/** What proxies write for a client at 203.0.113.7, and for one that they do not name. */
const readable = ['203.0.113.7', '203.0.113.7:51008', '"203.0.113.7:51008"', '127.0.0.1, 203.0.113.7:51008'];
const unreadable = [
  'unknown',
  '_hidden',
  '"',
  '203.0.113.7 127.0.0.1',
  'client.example',
  '127.0.0.1, unknown',
  'fe80::1%lo',
];

const ofProxy = { IpAddress: { 'request.ip': '127.0.0.0/8' } };
const notOfClient = { NotIpAddress: { 'request.ip': '203.0.113.0/24' } };
const ofClient = { IpAddress: { 'request.ip': '203.0.113.0/24' } };

const trusting = await platformOfFile({ env: { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1' } });

test('H05: an address is decided by as it is written, and one that cannot be read opens nothing', async () => {
  const { org, founder } = await foundedOrg(trusting);
  await defineEntity(org, definition('doc', [{ name: 'title', colType: 'string' }]));
  const statusOf = async (statements: readonly Statement[]) => {
    const { token } = await memberWith(founder, statements);
    return async (written: string | undefined) => {
      const headers: Record<string, string> = written === undefined ? {} : { 'x-forwarded-for': written };
      return (await call('GET', appUrl(org, '/list/doc'), { token, headers })).status;
    };
  };
  const fromProxy = await statusOf([withCondition(allow('listdoc'), ofProxy)]);
  const notFromClient = await statusOf([withCondition(allow('listdoc'), notOfClient)]);
  const barred = await statusOf([allow('listdoc'), withCondition(deny('listdoc'), ofClient)]);
  const barredElsewhere = await statusOf([allow('listdoc'), withCondition(deny('listdoc'), notOfClient)]);
  assert.deepEqual(
    [await fromProxy(undefined), await notFromClient(undefined), await barred(undefined)],
    [200, 200, 200],
  );
  for (const written of readable)
    assert.deepEqual(
      [await fromProxy(written), await notFromClient(written), await barred(written), await barredElsewhere(written)],
      [403, 403, 403, 200],
      written,
    );
  for (const written of unreadable)
    assert.deepEqual(
      [await fromProxy(written), await notFromClient(written), await barred(written), await barredElsewhere(written)],
      [403, 403, 403, 403],
      written,
    );
});

test('H05: failures of clients without an address lock out neither the proxy nor a client with one', async () => {
  const org = await signUp(trusting);
  const email = newEmail('victim');
  const logIn = (secret: string, written?: string) =>
    call('POST', appUrl(org, '/login'), {
      body: { email, password: secret },
      headers: { client_id: org.clientId, ...(written === undefined ? {} : { 'x-forwarded-for': written }) },
    });
  assert.equal((await logIn(password)).status, 200);
  for (let attempt = 0; attempt < 10; attempt++)
    assert.equal((await logIn('wrong password', unreadable[attempt % unreadable.length])).status, 401);
  for (const written of unreadable) assert.equal((await logIn(password, written)).status, 429, written);
  for (const written of [undefined, ...readable])
    assert.equal((await logIn(password, written)).status, 200, written ?? 'no header');
  for (let port = 0; port < 10; port++)
    assert.equal((await logIn('wrong password', `203.0.113.7:${50_000 + port}`)).status, 401);
  assert.equal((await logIn(password, '203.0.113.7:50999')).status, 429);
  assert.equal((await logIn(password, '203.0.113.8:50999')).status, 200);
});

test('H05: of the two headers of proxies the one that is not set is a client’s own', async (t) => {
  const env = { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1', FREEHOLD_PROXY_HEADER: 'forwarded' };
  for (const [header, own, platform] of [
    ['x-forwarded-for', 'forwarded', trusting],
    ['forwarded', 'x-forwarded-for', await platformOf(t, { env })],
  ] as const) {
    const org = await signUp(platform);
    const email = newEmail('victim');
    const written = (name: string, ip: string) => ({ [name]: name === 'forwarded' ? `for="${ip}";proto=https` : ip });
    const logIn = (secret: string, headers: Readonly<Record<string, string>>) =>
      call('POST', appUrl(org, '/login'), {
        body: { email, password: secret },
        headers: { client_id: org.clientId, ...headers },
      });
    const proxied = written(header, '203.0.113.7:51008');
    assert.equal((await logIn(password, proxied)).status, 200);
    for (let guess = 0; guess < 10; guess++)
      assert.equal((await logIn('wrong password', { ...proxied, ...written(own, `192.0.2.${guess}`) })).status, 401);
    assert.equal((await logIn(password, { ...proxied, ...written(own, '192.0.2.99') })).status, 429);
    assert.equal((await logIn(password, written(header, '203.0.113.8'))).status, 200);
  }
});
