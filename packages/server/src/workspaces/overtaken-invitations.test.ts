import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonRun } from '../privacy/port.ts';
import { Conflict } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import type { Workspace } from '../tenancy/port.ts';
import type { MembershipDeps } from './founding.ts';
import { invitationPut } from './invitations/invitation.ts';
import { membershipData } from './person-data.ts';

test('an invitation that is sent again while it is taken away keeps no address of an erased person: the job comes back to it', async () => {
  const clock = { now: () => Date.parse('2026-11-20T09:00:00Z') };
  const { store } = await openStore({ kind: 'memory', clock });
  const stored = store.scope('org#acme-main');
  const [email, created_at, expires_at] = ['ann@acme.example', '2026-11-19T09:00:00Z', '2026-11-26T09:00:00Z'];
  const invitation = { id: 'i', email, invited_by: 'b', created_at, expires_at, code_hash: 'h' };
  await stored.commit([invitationPut(invitation, 'absent')]);
  const scope = {
    name: stored.name,
    range: stored.range.bind(stored),
    commit: () => Promise.reject(new Conflict(0, 'condition')),
  };
  const caller = { actor: { kind: 'org_user', id: 'b' }, request_id: 'r' };
  const job = { emails: [email], accounts: [], created_at: '2026-11-20T08:00:00Z', caller };
  const workspace = { scope, env: 'test', orgCode: 'acme', tenantCode: 'main', tenantId: 't' } as unknown as Workspace;
  const { inWorkspace } = membershipData({ clock } as unknown as MembershipDeps);
  const erased = async () => inWorkspace?.erase({ job } as unknown as PersonRun, workspace);
  await assert.rejects(erased, { code: 'conflict' });
});
