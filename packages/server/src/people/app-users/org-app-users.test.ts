import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../store/testing/open-store.ts';
import { appUsers } from './app-user.ts';
import { disableUser, enableUser, revokeTokens } from './org-app-users.ts';

test('nothing is done about an account that is being erased: it is not there any more', async () => {
  const clock = { now: () => Date.parse('2026-11-20T09:00:00Z') };
  const { store } = await openStore({ kind: 'memory', clock });
  const id = '018bcfe5-6800-7000-8000-00000000000a';
  const at = '2026-11-20T09:00:00Z';
  const user = { id, email: 'ann@acme.example', email_verified: true, fn: '', ln: '', created_at: at };
  const scope = store.scope('org#acme');
  await scope.commit([appUsers.insert(id, { ...user, is_erasing: true })]);
  const before = await appUsers.read(scope, id);
  const deps = { stores: { test: store, prod: store }, revocations: { current: () => 0, bump: () => undefined } };
  const auditContext = { at, actor: { kind: 'org_user', id: 'b' }, request_id: 'r' } as const;
  const command = { orgCode: 'acme', env: 'test', id, auditContext } as const;
  await assert.rejects(disableUser(deps, command, 'left'), { code: 'not_found' });
  await assert.rejects(enableUser(deps, command, undefined), { code: 'not_found' });
  await assert.rejects(revokeTokens(deps, command), { code: 'not_found' });
  assert.deepEqual(await appUsers.read(scope, id), before);
});
