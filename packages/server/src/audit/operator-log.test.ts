import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../store/testing/open-store.ts';
import { orgAudit, platformAudit, platformAuditEntry, readEntry } from './audit-entry.ts';
import { createOperatorLog } from './operator-log.ts';

test('actions of the operator are listed in order, apart from what builders do to their orgs', async () => {
  const clock = { now: () => Date.parse('2026-01-01T00:00:00Z') };
  const { store } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  const log = createOperatorLog(platform, clock);
  const auditContext = { at: '', actor: { kind: 'org_user', id: 'u' }, request_id: 'r' } as const;
  await platform.commit([platformAuditEntry('acme', auditContext, { action: 'org.created' })]);
  for (const action of ['signing_key.made', 'signing_key.revoked'])
    await log.record('r1', { action, target: { kind: 'signing_key', id: 'k' } });
  const entries = (await platform.range(orgAudit, { limit: 9 })).flatMap((item) => readEntry(item) ?? []);
  assert.deepEqual(entries[0], {
    at: '2026-01-01T00:00:00.000Z',
    actor: { kind: 'operator', id: 'operator' },
    request_id: 'r1',
    action: 'signing_key.made',
    target: { kind: 'signing_key', id: 'k' },
  });
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['signing_key.made', 'signing_key.revoked'],
  );
  assert.equal((await platform.range(platformAudit('acme'), { limit: 9 })).length, 1);
});
