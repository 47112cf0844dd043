/** The records of an org that a node knows without reading its workspaces, against those that are stored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Store } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { foldDays } from '../fold-days.ts';
import type { RecordsOf } from '../ledger.ts';
import { auditContext, openNode, orgScope, place, recordsStored, SteppedClock } from '../testing/metered-org.ts';

const hour = 3_600_000;

/** Counts how often the workspaces are read, which takes so long. */
function countedReads(store: Store, clock: SteppedClock, milliseconds: number) {
  const reads = { times: 0 };
  const recordsOf: RecordsOf = async () => {
    reads.times += 1;
    clock.advance(milliseconds);
    return [{ ...place, entity: 'order', records: await recordsStored(store) }];
  };
  return { reads, recordsOf };
}

type Step =
  | { readonly kind: 'create' | 'remove'; readonly records: number }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'flush' | 'fold' | 'tidy' | 'refused' };

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('create', 'remove'), records: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('wait'), milliseconds: fc.constantFrom(300, 1100, 70_000, 7 * hour, 26 * hour) }),
    fc.record({ kind: fc.constantFrom('flush', 'fold', 'tidy', 'refused') }),
  ),
  { maxLength: 30 },
) as fc.Arbitrary<readonly Step[]>;

test('a node knows the records exactly while days and months go by, and reads the workspaces once', async () => {
  const run = fc.asyncProperty(steps, async (made) => {
    const clock = new SteppedClock('2026-01-30T20:00:00Z');
    const { store } = await openStore({ kind: 'memory', clock });
    // So long that they are never added up again.
    const { reads, recordsOf } = countedReads(store, clock, hour);
    const node = openNode(store, clock, 'one', recordsOf);
    await node.plans.set('acme', { name: 'own', limits: { records: 1_000_000 } }, auditContext);
    await node.write(3);
    for (const step of made) {
      if (step.kind === 'create') await node.write(step.records);
      else if (step.kind === 'remove') await node.write(-step.records, true);
      else if (step.kind === 'wait') clock.advance(step.milliseconds);
      else if (step.kind === 'tidy') node.gate.tidy();
      else if (step.kind === 'refused') (await node.gate.admit(place, { records: 4, isRemoval: false })).refused();
      else await node.meter.flush();
      if (step.kind === 'fold') await foldDays(orgScope(store), clock.now());
      assert.equal((await node.gate.quota('acme')).usage.records, await recordsStored(store));
    }
    assert.equal(reads.times, 1);
  });
  await fc.assert(run, { numRuns: thinned(150) });
});

test('what other nodes add and remove counts here a second later, and no workspace is read for it', async () => {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const { reads, recordsOf } = countedReads(store, clock, 1000);
  const [here, there] = [openNode(store, clock, 'one', recordsOf), openNode(store, clock, 'two')];
  await here.plans.set('acme', { name: 'own', limits: { records: 10_000 } }, auditContext);
  await here.write(10);
  for (let second = 0; second < 5; second++) {
    clock.advance(1000);
    await here.gate.quota('acme');
  }
  for (const by of [7, -4, -2, 20, -11]) {
    await there.write(by, by < 0);
    await there.meter.flush();
    clock.advance(1000);
    assert.equal((await here.gate.quota('acme')).usage.records, await recordsStored(store));
  }
  assert.equal(reads.times, 1);
});

test('near its limit the records of an org are added up again, and what a node died with is found', async () => {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const { reads, recordsOf } = countedReads(store, clock, 100);
  const [here, dying] = [openNode(store, clock, 'one', recordsOf), openNode(store, clock, 'two')];
  await here.plans.set('acme', { name: 'own', limits: { records: 10 } }, auditContext);
  await here.write(9);
  await dying.write(1);
  clock.advance(2000);
  await assert.rejects(here.write(1), { code: 'plan_limit_exceeded' });
  assert.equal(reads.times, 2);
});

test('a node spends a twentieth of its time at most on adding up again, whatever the number of orgs near their limits', async () => {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const { reads, recordsOf } = countedReads(store, clock, 10);
  const { gate, plans, write } = openNode(store, clock, 'one', recordsOf);
  await write(1);
  const orgs = Array.from({ length: 50 }, (_, nr) => `org${nr}`);
  for (const orgCode of orgs) {
    await plans.set(orgCode, { name: 'own', limits: { records: 1 } }, auditContext);
    await gate.quota(orgCode);
  }
  const first = { reads: reads.times, at: clock.now() };
  for (let turn = 0; turn < 100; turn++) {
    clock.advance(100);
    for (const orgCode of orgs) await gate.quota(orgCode);
  }
  const spent = 10 * (reads.times - first.reads);
  assert.ok(spent > 0 && spent <= (clock.now() - first.at) / 20, `${spent} ms`);
});
