/** Days that are folded while others fold them, or still write to them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore } from '../store/intercepted-store.ts';
import type { Store } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { checkDays, foldDays } from './fold-days.ts';
import { type MeteredNode, openNode, orgScope, place, SteppedClock } from './testing/metered-org.ts';
import { dayTallies, noWork, readWork, workDone, workspaceTallies } from './usage-rows.ts';

const dayLater = 50 * 3_600_000;

/** Two nodes on a day that for one of them is not over yet: it stores what it counts on as absolute values. */
async function twoClocks() {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const nodes = [openNode(store, clock, 'one'), openNode(store, clock, 'two')] as const;
  for (const node of nodes) await count(node, 2);
  return { clock, store, nodes };
}

async function count({ meter }: MeteredNode, times: number): Promise<void> {
  for (let made = 0; made < times; made++) meter.count({ ...place, tenantCode: made % 2 === 0 ? 'main' : 'other' });
  assert.deepEqual((await meter.flush()).failures, []);
}

/** A store that lets something else happen before one of its calls, and notes what is called. */
function crossedStore(store: Store, at: number, other: () => Promise<void>) {
  const calls: string[] = [];
  const crossed = interceptStore(store, async ({ name }, call) => {
    calls.push(name);
    if (calls.length - 1 === at) await other();
    return call();
  });
  return { crossed, calls };
}

async function stepsOfFold(): Promise<readonly string[]> {
  const { clock, store } = await twoClocks();
  const { crossed, calls } = crossedStore(store, -1, async () => undefined);
  await foldDays(orgScope(crossed), clock.now() + dayLater);
  return calls;
}

const fixtures = [
  { what: 'another fold', late: 0, isFolded: true },
  { what: 'a late write', late: 3, isFolded: false },
  { what: 'a late write and another fold', late: 3, isFolded: true },
] as const;

for (const { what, late, isFolded } of fixtures)
  test(`no call is lost or counted twice where ${what} comes between two steps of a fold`, async () => {
    const steps = await stepsOfFold();
    // A folded row is not written any more: a day is folded long after it is over.
    const last = late === 0 ? steps.length - 1 : steps.indexOf('commit');
    assert.ok(last > 1);
    for (let at = 0; at <= last; at++) {
      const { clock, store, nodes } = await twoClocks();
      const now = clock.now() + dayLater;
      const { crossed } = crossedStore(store, at, async () => {
        await count(nodes[0], late);
        if (isFolded) await foldDays(orgScope(store), now);
      });
      await foldDays(orgScope(crossed), now);
      for (const isOver of [false, true]) {
        if (isOver) await foldDays(orgScope(store), now);
        const { calls, problems } = await checkDays(orgScope(store));
        assert.deepEqual([calls, problems], [4 + late, []], `before call ${at}`);
      }
    }
  });

test('a day of more nodes than one commit takes is folded whole by one fold', { timeout: 60_000 }, async () => {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const scope = orgScope(store);
  const [day, nodes] = ['2026-01-31', 1001];
  for (let nr = 0; nr < nodes; nr++) {
    const node = String(nr).padStart(4, '0');
    await scope.commit([
      dayTallies.put({ day, node }, { calls: 1, records: 2 }, { if: 'absent' }),
      workspaceTallies.put({ day, node, code: 'main' }, { calls: 1, records: 2 }, { if: 'absent' }),
      workDone.put({ day, node }, { ...noWork, runs: 3 }, { if: 'absent' }),
    ]);
  }
  await foldDays(scope, clock.now() + dayLater);
  const { calls, problems } = await checkDays(scope);
  assert.deepEqual([calls, problems], [nodes, []]);
  const rows = await Promise.all(
    ['usage;calls', 'usage;workspaces', 'usage;work'].map((pk) => scope.range(pk, { limit: 9 })),
  );
  assert.deepEqual(
    rows.map((found) => found.map(({ sk }) => sk)),
    [[day], [day], [day]],
  );
  assert.deepEqual(
    (await readWork(scope, day)).map(({ done }) => done),
    [{ ...noWork, runs: 3 * nodes }],
  );
});
