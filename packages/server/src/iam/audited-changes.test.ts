import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orgAudit, readEntry } from '../audit/audit-entry.ts';
import { PassingFault } from '../store/testing/failing-store.ts';
import { openStore } from '../store/testing/open-store.ts';
import { type FoundedWorkspace, foundWorkspace } from './testing/founded-workspace.ts';

const clock = { now: () => Date.parse('2026-01-01T00:00:00Z') };

/** The target of an action, by the log of the workspace. */
async function auditEntriesOf({ workspace }: FoundedWorkspace, action: string): Promise<readonly string[]> {
  const items = await workspace.scope.range(orgAudit, { limit: 1000 });
  const entries = items.map(readEntry).filter((entry) => entry?.action === action);
  return entries.map((entry) => entry?.target?.id ?? '').sort();
}

for (const when of ['before', 'after'] as const)
  test(`whichever call of the store fails ${when} it took effect, a policy is there with one row or without any`, async () => {
    const opened = await openStore({ kind: 'memory', clock });
    const place = await foundWorkspace(opened.store, clock);
    const fault = new PassingFault();
    const writer = place.as(place.founderId, fault.store(opened).store);
    const current = async () => {
      const policies = await place.as(place.founderId).all('aclpolicy');
      return { ids: policies.map(({ id }) => id), entries: await auditEntriesOf(place, 'policy.created') };
    };
    for (let calls = 0; ; calls++) {
      fault.plant(calls, when);
      await writer.create('aclpolicy', { name: `p${calls}`, statements: [] }).catch(() => undefined);
      const isOver = fault.isWaiting;
      fault.withdraw();
      const { ids, entries } = await current();
      assert.deepEqual(entries, [...ids].sort(), `call ${calls}`);
      if (isOver) {
        assert.ok(calls > 0 && ids.length > 2);
        return;
      }
    }
  });

test('32 writers of access control leave one row each, and one unbroken order', async () => {
  const { store } = await openStore({ kind: 'memory', clock });
  const place = await foundWorkspace(store, clock);
  const writer = place.as(place.founderId);
  const { adminGroupId } = place;
  const ids = await Promise.all(
    Array.from({ length: 32 }, (_, index) => writer.create('group', { name: `g${index}`, acl_policies: [] })),
  );
  assert.deepEqual(await auditEntriesOf(place, 'group.created'), [...ids, adminGroupId].sort());
});
