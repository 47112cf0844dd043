/** The outcome of an invitation into an org that is changed by several calls at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manage, newEmail, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

test('an invitation is withdrawn also while its role is being changed, and stays withdrawn', async () => {
  const org = await signUp(gateways);
  for (let round = 0; round < 10; round++) {
    const body = { email: newEmail('invited'), role: 'developer' };
    const invited = await manage<{ readonly id: string }>(org, 'POST', '/org/users', { body });
    const path = `/org/users/${invited.body.id}`;
    const change = (role: string) => manage(org, 'PUT', path, { body: { role } });
    const changes = ['org_admin', 'developer', 'org_admin', 'developer'].map(change);
    const [withdrawn, ...changed] = await Promise.all([manage(org, 'DELETE', path), ...changes]);
    assert.equal(withdrawn.status, 204, withdrawn.text);
    for (const { status, text } of changed) assert.ok([200, 404].includes(status), text);
    assert.equal((await manage(org, 'DELETE', path)).status, 404);
  }
  const { body } = await manage<{ readonly items: readonly unknown[] }>(org, 'GET', '/org/users');
  assert.equal(body.items.length, 1);
});
