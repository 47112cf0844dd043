/** The cost of an org of very many workspaces to the store, by count of calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditContext, openNode, place, SteppedClock } from '../metering/testing/metered-org.ts';
import { recordsOfOrg } from '../records/port.ts';
import { interceptStore } from '../store/intercepted-store.ts';
import { OutcomeUnknown, Unavailable } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { orgScopeName, workspaceScopeName, workspaceTable } from '../tenancy/port.ts';
import { notingRemovals } from './noted-removals.ts';

/** An org with so many workspaces of two records each, and a node that counts its calls of the store. */
async function orgOf(workspaces: number) {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  for (let nr = 0; nr < workspaces; nr++) {
    const code = `w${nr}`;
    const row = { id: code, code, name: code, state: 'ready', created_at: '' } as const;
    await store.scope(orgScopeName('acme')).commit([workspaceTable.put(code, row, { if: 'absent' })]);
    await store.scope(workspaceScopeName('acme', code)).commit([{ kind: 'add', pk: 'count', sk: 'order', by: 2 }]);
  }
  const calls = { times: 0 };
  const counted = interceptStore(store, (_operation, call) => {
    calls.times += 1;
    return call();
  });
  const recordsOf = async (orgCode: string) => {
    const records = await recordsOfOrg(counted, orgCode);
    clock.advance(workspaces / 10);
    return records.map((one) => ({ ...one, env: 'test' as const }));
  };
  const node = openNode(counted, clock, 'one', recordsOf);
  await node.plans.set('acme', { name: 'own', limits: { records: 10_000 } }, auditContext);
  return { clock, store, calls, node };
}

async function callsOfWrites(workspaces: number): Promise<number> {
  const { clock, calls, node } = await orgOf(workspaces);
  await node.write(1);
  calls.times = 0;
  for (let write = 0; write < 100; write++) {
    clock.advance(300);
    await node.write(1);
    await node.meter.flush();
  }
  return calls.times;
}

test('writes of an org whose plan limits records make as many calls of the store with 2,000 workspaces as with 10', async () => {
  assert.equal(await callsOfWrites(2000), await callsOfWrites(10));
});

test('what jobs remove counts at once, and no workspace is read for it', async () => {
  const { store, calls, node } = await orgOf(100);
  await node.write(1);
  const jobs = notingRemovals(store, 'test', node.gate);
  const removal = { kind: 'add', pk: 'count', sk: 'order' } as const;
  calls.times = 0;
  await jobs.scope(workspaceScopeName('acme', 'w1')).commit([{ ...removal, by: -2 }]);
  await jobs.scope(workspaceScopeName('acme', 'w2')).commit([{ ...removal, by: -1 }]);
  // Of the platform itself, and of the org.
  for (const entity of ['user', 'aclpolicy'])
    await jobs.scope(workspaceScopeName('acme', 'w3')).commit([{ ...removal, sk: entity, by: 1 }]);
  assert.equal((await node.gate.quota('acme')).usage.records, 198);
  assert.equal(calls.times, 0);
});

test('a removal that is refused is not counted, and one whose outcome is unknown has the records added up', async () => {
  for (const [error, records] of [
    [new Unavailable('off'), 200],
    [new OutcomeUnknown('cut'), 198],
  ] as const) {
    const { store, node } = await orgOf(100);
    assert.equal((await node.gate.quota('acme')).usage.records, 200);
    const failing = interceptStore(store, async (operation, call) => {
      if (operation.name !== 'commit') return call();
      if (error instanceof OutcomeUnknown) await call();
      throw error;
    });
    const jobs = notingRemovals(failing, 'test', node.gate).scope(workspaceScopeName('acme', 'w1'));
    await assert.rejects(jobs.commit([{ kind: 'add', pk: 'count', sk: 'order', by: -2 }]), error);
    assert.equal((await node.gate.quota('acme')).usage.records, records);
  }
});

test('the records of a workspace that is removed count no more, and the others are added up', async () => {
  const { store, node } = await orgOf(10);
  assert.equal((await node.gate.quota('acme')).usage.records, 20);
  const orgScope = store.scope(orgScopeName('acme'));
  const row = { id: 'w1', code: 'w1', name: 'w1', state: 'removed', created_at: '' } as const;
  await orgScope.commit([workspaceTable.put('w1', row, { if: 'any' })]);
  node.gate.workspaceRemoved({ ...place, tenantCode: 'w1' }, 2);
  assert.equal((await node.gate.quota('acme')).usage.records, 18);
});
