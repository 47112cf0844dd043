/** Builders who look at production, which no builder changes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { foundWorkspace } from '../../iam/testing/founded-workspace.ts';
import type { Change, Scope } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { orgScopeName } from '../../tenancy/workspace.ts';
import { workspaceRowKey } from '../../tenancy/workspace-directory.ts';
import { type WorkspaceHead, workspaceHeadKey } from '../../tenancy/workspace-head.ts';
import { type AppTokenSubject, appAudience, signAppToken } from '../app-tokens.ts';
import { appUsers } from '../app-users/app-user.ts';
import { memberships, type OrgRole, orgUsers } from '../org-users/account.ts';
import { orgs } from '../org-users/org-directory.ts';
import { generateSigningKey } from '../signing-key.ts';
import { openSigningKeys } from '../signing-keys.ts';
import { noHomes } from '../testing/no-homes.ts';
import { createSecretsInMemory } from '../testing/secrets-in-memory.ts';
import { createAppSessions } from './app-sessions.ts';
import { createImpersonation } from './impersonation.ts';
import { endSession, listSessions, newSession, type OrgCaller, sessionsKeyOf } from './org-sessions.ts';

const auditContext = { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' } as const;
const builderId = '018bcfe5-0000-7000-8000-00000000000b';
const issuer = 'https://platform.example';
const ended = { code: 'token_invalid' };

/** The account of the builder and his org; what he is there, each test says. */
async function builderIn(platform: Scope) {
  const user = { id: builderId, email: 'bea@builder.example', name: 'Bea', session_epoch: 0 };
  const environments = { test: { client_id: 'test_c' }, prod: { client_id: 'prod_c' } };
  const org = { code: 'acme', name: 'Acme', created_at: '', environments };
  await platform.commit([
    orgUsers.insert(user.id, { ...user, password_hash: '', created_at: '' }),
    orgs.insert(org.code, org),
  ]);
  return { hasSecondFactor: false, user, org, session_epoch: 0 };
}

async function bench() {
  let now = Date.parse('2026-11-21T00:00:00Z');
  const clock = { now: () => now };
  const [{ store: test }, { store: prod }, { store }] = await Promise.all([
    openStore({ kind: 'memory', clock }),
    openStore({ kind: 'memory', clock }),
    openStore({ kind: 'memory', clock }),
  ]);
  const platform = store.scope('platform');
  const founded = await foundWorkspace(prod, clock);
  const { tenantId: id, tenantCode: code, scope } = founded.workspace;
  const head: WorkspaceHead = { id, code, name: 'Main', founder_id: founded.founderId, default_member_access: '' };
  await scope.commit([{ kind: 'put', ...workspaceHeadKey, value: JSON.stringify(head), if: 'absent' }]);
  const row = { id, code, name: 'Main', state: 'ready', created_at: '' };
  const email = `${founded.founderId}@example.com`;
  const user = { id: founded.founderId, email, email_verified: false, fn: '', ln: '', created_at: '' };
  await prod.scope(orgScopeName('acme')).commit([
    { kind: 'put', ...workspaceRowKey(code), value: JSON.stringify(row), if: 'absent' },
    { kind: 'put', ...appUsers.key(user.id), value: JSON.stringify(user), if: 'absent' },
  ]);
  const vault = createSecretsInMemory({ signing_keys: [await generateSigningKey(now)] });
  const signingKeys = await openSigningKeys({ vault, clock });
  const parts = { stores: { test, prod }, signingKeys, issuer, clock, newId: founded.newId };
  const configs = {
    test: createConfigReader({ store: test, clock }),
    prod: createConfigReader({ store: prod, clock }),
  };
  const epochs = createAccessEpochs();
  const revocations = createAccessEpochs();
  const sessions = createAppSessions({ ...parts, platform, configs, epochs, revocations, homes: noHomes });
  const builder = await builderIn(platform);
  const held = await newSession({ platform, clock, newId: founded.newId }, builder.user, 'acme');
  await platform.commit(held.changes);
  const [listed] = await listSessions(platform, { ...builder, sessionId: '', role: 'developer' });
  const sessionId = listed?.id ?? '';
  return {
    user,
    tenant: { tenant_id: id, tenant_code: code },
    signingKeys,
    sessions,
    impersonate: createImpersonation(parts),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    nowSeconds: () => Math.floor(now / 1000),
    /** The facts that the platform has about the builder. */
    is: async (role: OrgRole | undefined) => {
      const key = memberships.key([builderId, 'acme']);
      const value = JSON.stringify({ role, joined_at: '' });
      const removal: Change = { kind: 'remove', ...key, if: 'any' };
      await platform.commit([role === undefined ? removal : { kind: 'put', ...key, value, if: 'any' }]);
    },
    /** The builder in his session, with a role. */
    callerOf: (role: OrgRole): OrgCaller => ({ ...builder, sessionId, role }),
    /** Ends the session as another node does: this process does not hear of it. */
    endSession: () => endSession(platform, { ...builder, sessionId, role: 'org_admin' }, sessionId),
    /** Counts an end as this process does for one of its own. */
    bumpEpoch: () => revocations.bump(sessionsKeyOf(builderId)),
    sessionId,
    audit: () => prod.scope(orgScopeName('acme')).range('audit', { limit: 10 }),
  };
}

test('an admin acts for a person in production until he is one no more', async () => {
  const { impersonate, sessions, user, callerOf, is, pass, audit } = await bench();
  await is('org_admin');
  const body = { env: 'prod', tenant_code: 'main', user_id: user.id } as const;
  const { token } = await impersonate(callerOf('org_admin'), auditContext, body);
  const caller = await sessions.authenticate(token, 'acme');
  assert.deepEqual([caller.kind, caller.claims.sub, caller.claims.act], ['person', user.id, { sub: builderId }]);
  assert.equal(caller.claims.clientid, 'prod_c');
  assert.equal((await audit()).length, 1);
  await is('developer');
  pass(59_999);
  await sessions.authenticate(token, 'acme');
  pass(1);
  await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
  await is('org_admin');
  await sessions.authenticate(token, 'acme');
  await is(undefined);
  pass(60_000);
  await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
});

test('the token is good for a quarter of an hour', async () => {
  const { impersonate, sessions, user, callerOf, is, pass } = await bench();
  await is('org_admin');
  const body = { env: 'prod', tenant_code: 'main', user_id: user.id } as const;
  const { token, expires_at } = await impersonate(callerOf('org_admin'), auditContext, body);
  assert.equal(expires_at, '2026-11-21T00:15:00.000Z');
  pass(899_000);
  await sessions.authenticate(token, 'acme');
  pass(1000);
  await assert.rejects(async () => sessions.authenticate(token, 'acme'), { code: 'token_expired' });
});

test('production is for admins, and only by impersonation; what is refused is not in the log', async () => {
  const { impersonate, user, callerOf, is, audit } = await bench();
  await is('org_admin');
  const body = { env: 'prod', tenant_code: 'main' } as const;
  await assert.rejects(() => impersonate(callerOf('org_admin'), auditContext, body), { code: 'validation_failed' });
  const named = { ...body, user_id: user.id };
  await assert.rejects(() => impersonate(callerOf('developer'), auditContext, named), { code: 'role_required' });
  assert.deepEqual(await audit(), []);
});

test('a token of production that says a builder acts for himself is invalid, however it came about', async () => {
  const { signingKeys, sessions, tenant, sessionId, is, nowSeconds } = await bench();
  await is('org_admin');
  const subject: AppTokenSubject = {
    ...tenant,
    sub: builderId,
    act: { sub: builderId },
    sid: sessionId,
    org: 'acme',
    env: 'prod',
    clientid: 'prod_c',
    member_since: '',
    ep: 0,
    role: '',
    email: '',
    email_verified: false,
    fn: '',
    ln: '',
    idp: 'builder',
    auth_time: nowSeconds(),
    jti: 'j',
  };
  const realm = { issuer, audience: appAudience('prod'), nowSeconds: nowSeconds(), lifetimeSeconds: 900 };
  const token = await signAppToken(signingKeys, subject, realm);
  await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
});

test('the token ends with the session that it was issued in, at once where the session is ended', async () => {
  for (const isRevoked of [true, false]) {
    const { impersonate, sessions, user, callerOf, is, pass, endSession, bumpEpoch } = await bench();
    await is('org_admin');
    const body = { env: 'prod', tenant_code: 'main', user_id: user.id } as const;
    const { token } = await impersonate(callerOf('org_admin'), auditContext, body);
    await sessions.authenticate(token, 'acme');
    await endSession();
    if (isRevoked) bumpEpoch();
    else pass(60_000);
    await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
  }
});

test('a token that names no session, or one of another builder, is invalid', async () => {
  const { impersonate, sessions, user, callerOf, is } = await bench();
  await is('org_admin');
  const body = { env: 'prod', tenant_code: 'main', user_id: user.id } as const;
  const caller = callerOf('org_admin');
  for (const sessionId of ['', 'nonsense', '018bcfe5-0000-7000-8000-0000000000ff', 'x'.repeat(1000)]) {
    const { token } = await impersonate({ ...caller, sessionId }, auditContext, body);
    await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
  }
  const other = { ...caller, user: { ...caller.user, id: '018bcfe5-0000-7000-8000-00000000000c' } };
  const { token } = await impersonate(other, auditContext, body);
  await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
});
