import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore } from '../../store/intercepted-store.ts';
import { OutcomeUnknown, type Store, Unavailable } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { checkDays, foldDays } from '../fold-days.ts';
import type { Limits } from '../plans.ts';
import { auditContext, type MeteredNode, openNode, orgScope, place, SteppedClock } from '../testing/metered-org.ts';
import { noWork, workDone } from '../usage-rows.ts';

const hour = 3_600_000;

async function open(limits: Limits = {}, time = '2026-01-31T12:00:00Z') {
  const clock = new SteppedClock(time);
  const { store } = await openStore({ kind: 'memory', clock });
  const node = (name: string, own: Store = store) => openNode(own, clock, name);
  await node('setup').plans.set('acme', { name: 'own', limits }, auditContext);
  return { clock, store, node };
}

async function runsByDay({ work }: MeteredNode, from = '2026-01-01') {
  return [...(await work.days('acme', 'test', from))].map(([day, { runs }]) => [day, runs]).sort();
}

function count({ work }: MeteredNode, runs: number): void {
  work.add(place, 'runs', runs);
}

test('work of both environments and all nodes is held to the limit of the day, within two seconds on other nodes', async () => {
  const { clock, node } = await open({ runs_per_day: 4 });
  const [one, two] = [node('one'), node('two')];
  await one.work.check('acme', 'runs');
  count(one, 2);
  one.work.add({ orgCode: 'acme', env: 'prod' }, 'runs', 1);
  // On the node that did it at once: what was read is fresh.
  assert.equal(one.work.check('acme', 'runs'), undefined);
  await one.work.flush();
  await two.work.check('acme', 'runs');
  count(two, 1);
  await two.work.flush();
  await assert.rejects(async () => two.work.check('acme', 'runs'), {
    code: 'plan_limit_exceeded',
    message: 'the plan’s limit of 4 runs a day is reached',
    details: {
      ...{ metric: 'runs_per_day', used: 4, limit: 4, window: 'day' },
      resets_at: '2026-02-01T00:00:00.000Z',
      retry_after_seconds: 12 * 3600,
    },
  });
  assert.equal(one.work.check('acme', 'runs'), undefined);
  clock.advance(2000);
  await assert.rejects(async () => one.work.check('acme', 'runs'), { code: 'plan_limit_exceeded' });
  // Other orgs, and other work of this one, have room.
  await one.work.check('other', 'runs');
  await one.work.check('acme', 'deliveries');
});

test('two checks at the limit at once are both refused, by one reading of the store', async () => {
  const { store, node } = await open({ runs_per_day: 1 });
  let reads = 0;
  const counting = interceptStore(store, (_operation, call) => {
    reads += 1;
    return call();
  });
  await node('one', counting).work.check('acme', 'runs');
  const readsOfOne = reads;
  const other = node('two');
  count(other, 1);
  await other.work.flush();
  const three = node('three', counting);
  const checks = [three.work.check('acme', 'runs'), three.work.check('acme', 'runs')];
  for (const check of checks) await assert.rejects(Promise.resolve(check), { code: 'plan_limit_exceeded' });
  assert.equal(reads, 2 * readsOfOne);
});

test('what can wait rests until the day is over, and for an hour at most', async () => {
  const { clock, node } = await open({ deliveries_per_day: 1, mails_per_day: 0 });
  const one = node('one');
  assert.equal(await one.work.fullUntil('acme', 'deliveries'), undefined);
  one.work.add(place, 'deliveries', 1);
  assert.equal(one.work.fullUntil('acme', 'deliveries'), clock.now() + hour);
  assert.equal(one.work.fullUntil('acme', 'mails'), clock.now() + hour);
  assert.equal(one.work.fullUntil('acme', 'runs'), undefined);
  clock.advance(11.5 * hour);
  assert.equal(await one.work.fullUntil('acme', 'deliveries'), Date.parse('2026-02-01T00:00:00Z'));
  clock.advance(0.5 * hour);
  assert.equal(await one.work.fullUntil('acme', 'deliveries'), undefined);
});

test('scripts are counted by the millisecond, and limited by the second', async () => {
  const { node } = await open({ script_seconds_per_day: 1 });
  const { work } = node('one');
  for (const milliseconds of [0, -5, Number.NaN, 0.2, 998]) work.add(place, 'script_ms', milliseconds);
  assert.deepEqual(
    await work.days('acme', 'test', '2026-01-01'),
    new Map([['2026-01-31', { ...noWork, script_ms: 999 }]]),
  );
  await work.check('acme', 'script_ms');
  work.add(place, 'script_ms', 1);
  await assert.rejects(async () => work.check('acme', 'script_ms'), { code: 'plan_limit_exceeded' });
});

test('a changed plan holds at once on the node that changed it, also while it is being read', async () => {
  const { clock, store, node } = await open({ runs_per_day: 0 });
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const slow = interceptStore(store, async ({ name }, call) => {
    const answer = await call();
    if (isHeld && name === 'get') await held.promise;
    return answer;
  });
  const one = node('one', slow);
  isHeld = true;
  const before = Promise.resolve(one.work.check('acme', 'runs'));
  const refused = assert.rejects(before, { code: 'plan_limit_exceeded' });
  isHeld = false;
  await node('two').plans.set('acme', { name: 'own', limits: {} }, auditContext);
  one.work.forget('acme');
  held.resolve();
  await refused;
  await one.work.check('acme', 'runs');
  clock.advance(1000);
  assert.equal(one.work.check('acme', 'runs'), undefined);
});

test('where usage cannot be read there is room, and the failure is told', async () => {
  const { store, node } = await open({ runs_per_day: 0 });
  const one = node(
    'one',
    interceptStore(store, () => Promise.reject(new Unavailable('off'))),
  );
  await one.work.check('acme', 'runs');
  assert.equal(await one.work.fullUntil('acme', 'runs'), undefined);
  assert.equal(one.errors.length, 2);
  await assert.rejects(one.work.kept('acme'), Unavailable);
});

test('what could not be stored, or may have been, is stored with the next turn and counts once', async () => {
  const { store, node } = await open();
  const fault = { before: undefined as Error | undefined, after: undefined as Error | undefined };
  const one = node(
    'one',
    interceptStore(store, async (_operation, call) => {
      if (fault.before !== undefined) throw fault.before;
      const answer = await call();
      if (fault.after !== undefined) throw fault.after;
      return answer;
    }),
  );
  count(one, 2);
  fault.before = new Unavailable('off');
  assert.deepEqual([...(await one.work.flush()).orgCodes], []);
  fault.before = undefined;
  fault.after = new OutcomeUnknown('cut');
  assert.equal((await one.work.flush()).failures.length, 1);
  fault.after = undefined;
  count(one, 1);
  assert.deepEqual([...(await one.work.flush()).orgCodes], ['acme']);
  for (const reader of [one, node('two')]) assert.deepEqual(await runsByDay(reader), [['2026-01-31', 3]]);
});

for (const isFolded of [false, true])
  test(`work counted while the clock was days ahead stays with that day, and the rest goes on to the right one${isFolded ? ', also where that day was folded' : ''}`, async () => {
    const { clock, store, node } = await open({}, '2026-01-30T12:00:00Z');
    const one = node('one');
    clock.advance(48 * hour);
    count(one, 1);
    await one.work.flush();
    count(one, 3);
    if (isFolded) await foldDays(orgScope(store), clock.now() + 50 * hour);
    clock.advance(-48 * hour);
    count(one, 1);
    await one.work.flush();
    for (const reader of [one, node('two')])
      assert.deepEqual(await runsByDay(reader), [
        ['2026-01-30', 4],
        ['2026-02-01', 1],
      ]);
  });

test('what could not be stored before its day may be folded counts on the day on which it is', async () => {
  const { clock, store, node } = await open();
  let isOff = true;
  const one = node(
    'one',
    interceptStore(store, (_operation, call) => (isOff ? Promise.reject(new Unavailable('off')) : call())),
  );
  count(one, 2);
  await one.work.flush();
  clock.advance(48 * hour);
  isOff = false;
  count(one, 1);
  await one.work.flush();
  assert.deepEqual(await runsByDay(node('two')), [['2026-02-02', 3]]);
});

test('no work is lost or counted twice where a late write and another fold come between two steps of a fold', async () => {
  const counted = async () => {
    const opened = await open();
    const nodes = [opened.node('one'), opened.node('two')] as const;
    for (const one of nodes) {
      count(one, 2);
      await one.work.flush();
    }
    return { ...opened, nodes };
  };
  const crossed = (store: Store, at: number, other: () => Promise<void>) => {
    const calls: string[] = [];
    const own = interceptStore(store, async ({ name }, call) => {
      calls.push(name);
      if (calls.length - 1 === at) await other();
      return call();
    });
    return { own, calls };
  };
  const first = await counted();
  const { own, calls } = crossed(first.store, -1, async () => undefined);
  await foldDays(orgScope(own), first.clock.now() + 50 * hour);
  const last = calls.indexOf('commit');
  assert.ok(last > 1);
  for (let at = 0; at <= last; at++)
    for (const isFolded of [false, true]) {
      const { clock, store, node, nodes } = await counted();
      const now = clock.now() + 50 * hour;
      const between = crossed(store, at, async () => {
        count(nodes[0], 3);
        await nodes[0].work.flush();
        if (isFolded) await foldDays(orgScope(store), now);
      });
      await foldDays(orgScope(between.own), now);
      assert.deepEqual(await runsByDay(node('three')), [['2026-01-31', 7]], `before call ${at}`);
      await foldDays(orgScope(store), now);
      assert.deepEqual(await runsByDay(node('three')), [['2026-01-31', 7]]);
      const [row, ...others] = await orgScope(store).range('usage;work', { limit: 9 });
      assert.deepEqual([row?.sk, others], ['2026-01-31', []]);
      await foldDays(orgScope(store), now + 402 * 24 * hour);
      assert.deepEqual(await runsByDay(node('three')), []);
    }
});

test('rows of work that hold no whole numbers are found', async () => {
  const { store, node } = await open();
  const one = node('one');
  count(one, 2);
  await one.work.flush();
  assert.deepEqual((await checkDays(orgScope(store))).problems, []);
  const rows = [
    { ...noWork, runs: -1 },
    { ...noWork, mails: 0.5 },
  ].map((done, nr) => workDone.put({ day: '2026-01-31', node: `bad${nr}` }, done, { if: 'absent' }));
  await orgScope(store).commit([
    ...rows,
    { kind: 'put', pk: 'usage;work', sk: '2026-01-31#text', value: 'none', if: 'absent' },
  ]);
  assert.deepEqual(
    (await checkDays(orgScope(store))).problems.map(({ problem }) => problem),
    ['bad0', 'bad1', 'text'].map((name) => `the row usage;work "2026-01-31#${name}" cannot be read`),
  );
});

test('for how long runs and receipts are kept is the plan’s, and 7 days without one', async () => {
  const { node } = await open({ run_days: 3 });
  const { work } = node('one');
  assert.deepEqual(await work.kept('acme'), { runs: 72 * hour, receipts: 168 * hour });
  await work.check('acme', 'runs');
  assert.deepEqual(await work.kept('acme'), { runs: 72 * hour, receipts: 168 * hour });
});
