/** A process that has to notice by itself what another one changes. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { type FoundedWorkspace, foundWorkspace } from '../../iam/testing/founded-workspace.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { orgScopeName } from '../../tenancy/workspace.ts';
import { type WorkspaceHead, workspaceHeadKey } from '../../tenancy/workspace-head.ts';
import { type AppTokenSubject, appAudience, signAppToken } from '../app-tokens.ts';
import { type AppUser, appUsers } from '../app-users/app-user.ts';
import { createOrgSettings, settingTypes } from '../settings/org-settings.ts';
import { generateSigningKey } from '../signing-key.ts';
import { openSigningKeys } from '../signing-keys.ts';
import { noHomes } from '../testing/no-homes.ts';
import { createSecretsInMemory } from '../testing/secrets-in-memory.ts';
import { createAppSessions, createTokenCache } from './app-sessions.ts';

const issuer = 'https://platform.example';
const auditContext = { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' } as const;

/** A workspace whose org has settled for how long policies are kept, and a process that serves it. */
async function bench(cacheSeconds: number | undefined) {
  let now = Date.parse('2026-11-21T00:00:00Z');
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const configs = createConfigReader({ store, clock });
  const settings = createOrgSettings({ env: 'test', types: settingTypes, store, configs, auditContext });
  if (cacheSeconds !== undefined)
    await settings.put('acme', { group: 'acl', name: 'cache_seconds', value: cacheSeconds });
  const founded = await foundWorkspace(store, clock);
  const { tenantId: id, tenantCode: code, scope } = founded.workspace;
  const head: WorkspaceHead = { id, code, name: 'Main', founder_id: founded.founderId, default_member_access: '' };
  await scope.commit([{ kind: 'put', ...workspaceHeadKey, value: JSON.stringify(head), if: 'absent' }]);
  const vault = createSecretsInMemory({ signing_keys: [await generateSigningKey(clock.now())] });
  const signingKeys = await openSigningKeys({ vault, clock });
  const sessions = createAppSessions({
    stores: { test: store, prod: store },
    platform: store.scope('platform'),
    signingKeys,
    issuer,
    epochs: createAccessEpochs(),
    revocations: createAccessEpochs(),
    clock,
    homes: noHomes,
    configs: { test: configs, prod: configs },
  });
  return {
    founded,
    sessions,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    tokenOf: async (userId: string): Promise<string> => {
      const user: AppUser = { id: userId, email: 'a@b.example', email_verified: false, fn: '', ln: '', created_at: '' };
      const put = { kind: 'put', ...appUsers.key(userId), value: JSON.stringify(user), if: 'absent' } as const;
      await store.scope(orgScopeName('acme')).commit([put]);
      const nowSeconds = Math.floor(now / 1000);
      const subject = await subjectOf(founded, user);
      return signAppToken(signingKeys, subject, {
        issuer,
        audience: appAudience('test'),
        nowSeconds,
        lifetimeSeconds: 3600,
      });
    },
  };
}

async function subjectOf(founded: FoundedWorkspace, { id, email }: AppUser): Promise<AppTokenSubject> {
  const { tenantId, tenantCode } = founded.workspace;
  const members = await founded.as(founded.founderId).all('user');
  return {
    sub: id,
    org: 'acme',
    env: 'test',
    clientid: 'test_client',
    tenant_id: tenantId,
    tenant_code: tenantCode,
    member_since: String(members.find((member) => member.id === id)?.created_at),
    ep: 0,
    role: '',
    email,
    email_verified: false,
    fn: '',
    ln: '',
    idp: 'password',
    auth_time: 0,
    jti: founded.newId(),
  };
}

/** A member who may list users, by a policy that another process takes away. */
async function benchOfReader(cacheSeconds: number | undefined) {
  const { founded, sessions, pass, tokenOf } = await bench(cacheSeconds);
  const founder = founded.as(founded.founderId);
  const userId = await founded.join();
  const statements = [{ Effect: 'Allow', Action: ['listuser'], Resource: ['*'] }];
  const acl_policy_id = await founder.create('aclpolicy', { name: 'readers', statements });
  const link = await founder.create('useraclpolicy', { user_id: userId, acl_policy_id });
  const token = await tokenOf(userId);
  return {
    pass,
    unlink: () => founder.remove('useraclpolicy', link),
    outcome: async () =>
      (await sessions.authenticate(token, 'acme')).place?.access.rule('listuser', '/list/user', assert.fail).outcome,
  };
}

for (const settled of [undefined, 0, 1, 60, 300]) {
  const milliseconds = (settled ?? 60) * 1000;

  test(`what another process changes of policies applies ${milliseconds} ms later, where ${settled ?? 'nothing'} is settled`, async () => {
    const { outcome, unlink, pass } = await benchOfReader(settled);
    assert.equal(await outcome(), 'allowed');
    await unlink();
    if (milliseconds > 0) {
      pass(milliseconds - 1);
      assert.equal(await outcome(), 'allowed');
      pass(1);
    }
    assert.equal(await outcome(), 'implicit_deny');
  });

  test(`a member whom another process removes is out ${milliseconds} ms later, where ${settled ?? 'nothing'} is settled`, async () => {
    const { founded, sessions, pass, tokenOf } = await bench(settled);
    const userId = await founded.join();
    const token = await tokenOf(userId);
    await sessions.authenticate(token, 'acme');
    await founded.as(founded.founderId).remove('user', userId);
    if (milliseconds > 0) {
      pass(milliseconds - 1);
      await sessions.authenticate(token, 'acme');
      pass(1);
    }
    await assert.rejects(async () => sessions.authenticate(token, 'acme'), { code: 'token_invalid' });
  });
}

test('a clock that is set back makes nothing younger: policies are read again', async () => {
  const { outcome, unlink, pass } = await benchOfReader(60);
  pass(30_000);
  assert.equal(await outcome(), 'allowed');
  await unlink();
  pass(-20_000);
  assert.equal(await outcome(), 'implicit_deny');
});

test('A08 of 100,000 random tokens none is ever answered with the value of another', () => {
  const cache = createTokenCache<{ readonly exp: number; readonly owner: number }>({ entriesMax: 200_000 });
  const tokens = Array.from({ length: 100_000 }, () => randomBytes(24).toString('base64url'));
  for (const [owner, token] of tokens.entries()) cache.set(token, { exp: 10, owner });
  for (const [owner, token] of tokens.entries()) assert.equal(cache.get(token, 0)?.owner, owner);
  for (const token of tokens) assert.equal(cache.get(`${token}A`, 0), undefined);
});

test('A08 of 100,000 pairs of tokens that differ little each has its own value', () => {
  const cache = createTokenCache<{ readonly exp: number; readonly owner: string }>({ entriesMax: 4 });
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let pair = 0; pair < 100_000; pair++) {
    const one = randomBytes(30).toString('base64url');
    const at = pair % one.length;
    const swapped = digits.charAt((digits.indexOf(one.charAt(at)) + 1 + (pair % 63)) % 64);
    const twins = [one.slice(0, at) + swapped + one.slice(at + 1), one.slice(at) + one.slice(0, at), one.slice(0, at)];
    const other = twins[pair % 3] ?? '';
    cache.set(one, { exp: 10, owner: one });
    if (other !== one) assert.equal(cache.get(other, 0), undefined);
    cache.set(other, { exp: 10, owner: other });
    assert.deepEqual([cache.get(one, 0)?.owner, cache.get(other, 0)?.owner], [one, other]);
  }
});

test('A08 the last character counts, also of a token whose signature decodes to the same bytes', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 9 });
  cache.set('header.payload.AA', { exp: 10 });
  for (const other of ['header.payload.AB', 'header.payload.A', 'header.payload.AA ', 'header.payload.AA\0', ''])
    assert.equal(cache.get(other, 0), undefined);
});

test('A23 an entry ends with its token, on the second, though it was found a moment before', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 9 });
  const value = { exp: 1000 };
  cache.set('token', value);
  assert.equal(cache.get('token', 999), value);
  assert.equal(cache.get('token', 1000), undefined);
  assert.equal(cache.get('token', 999), undefined, 'an ended entry is gone, should the clock step back too');
});

test('forgets one token and keeps the others', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 9 });
  for (const token of ['a', 'b', 'c']) cache.set(token, { exp: 10 });
  cache.delete('a');
  assert.deepEqual(
    ['a', 'b', 'c'].map((token) => cache.get(token, 0) !== undefined),
    [false, true, true],
  );
});

test('drops unused entries, two for each that comes', () => {
  let now = 0;
  const cache = createTokenCache<{ readonly exp: number; readonly checkedAt: number }>({
    entriesMax: 9,
    isIdle: ({ checkedAt }) => now - checkedAt > 10,
  });
  const set = (token: string) => cache.set(token, { exp: 1000, checkedAt: now });
  for (const token of ['a', 'b', 'c']) set(token);
  now = 10;
  set('d');
  now = 11;
  assert.ok(cache.get('a', now));
  set('e');
  assert.deepEqual(
    ['b', 'c', 'a', 'd', 'e'].map((token) => cache.get(token, now) !== undefined),
    [false, false, true, true, true],
  );
});

test('holds no more entries than it was given, and forgets first what is used least', () => {
  const cache = createTokenCache<{ readonly exp: number }>({ entriesMax: 2 });
  cache.set('a', { exp: 10 });
  cache.set('b', { exp: 10 });
  cache.get('a', 0);
  cache.set('c', { exp: 10 });
  assert.deepEqual(
    ['a', 'b', 'c'].map((token) => cache.get(token, 0) !== undefined),
    [true, false, true],
  );
});
