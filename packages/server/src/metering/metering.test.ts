import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore } from '../store/intercepted-store.ts';
import { OutcomeUnknown, type Store, Unavailable } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { checkDays, foldDays } from './fold-days.ts';
import { flagsOf, type QuotaUsage } from './plans/limits.ts';
import { forecast } from './report.ts';
import {
  auditContext,
  type MeteredNode,
  openNode,
  orgScope,
  place,
  recordsStored,
  SteppedClock,
} from './testing/metered-org.ts';
import { readDays, readWorkspaceDays } from './usage-rows.ts';

const hour = 3_600_000;

async function open(time = '2026-01-31T12:00:00Z') {
  const clock = new SteppedClock(time);
  return { clock, ...(await openStore({ kind: 'memory', clock })) };
}

function callTimes(node: MeteredNode, times: number, tenantCode = 'main'): void {
  for (let made = 0; made < times; made++) node.meter.count({ ...place, tenantCode });
}

async function callsByDay({ ledger }: MeteredNode, from = '2026-01-01') {
  return [...(await ledger.days('acme', 'test', from))].map(([day, { calls }]) => [day, calls]);
}

/** A store that fails how and while the test says so. */
function faulty(store: Store) {
  const fault = { before: undefined as Error | undefined, after: undefined as Error | undefined };
  return {
    fault,
    store: interceptStore(store, async (_operation, call) => {
      if (fault.before !== undefined) throw fault.before;
      const answer = await call();
      if (fault.after !== undefined) throw fault.after;
      return answer;
    }),
  };
}

test('all nodes together count each call once, before it is stored here and a turn later elsewhere', async () => {
  const { clock, store } = await open();
  const [one, two] = [openNode(store, clock, 'one'), openNode(store, clock, 'two')];
  callTimes(one, 3);
  callTimes(two, 4, '');
  assert.deepEqual(await callsByDay(one), [['2026-01-31', 3]]);
  for (const node of [one, two, one]) await node.meter.flush();
  callTimes(one, 1);
  assert.deepEqual(await callsByDay(one), [['2026-01-31', 8]]);
  assert.deepEqual(await callsByDay(two), [['2026-01-31', 7]]);
  const workspaces: unknown[] = [];
  for await (const day of one.ledger.workspaceDays('acme', 'test', '2026-01-01'))
    for (const [code, { calls }] of day.workspaces) workspaces.push([day.day, code, calls]);
  assert.deepEqual(workspaces.sort(), [
    ['2026-01-31', '', 4],
    ['2026-01-31', 'main', 4],
  ]);
});

test('a node that dies loses what it has not stored, and the next start counts on', async () => {
  const { clock, store } = await open();
  const first = openNode(store, clock, 'first');
  callTimes(first, 5);
  await first.meter.flush();
  callTimes(first, 2);
  const second = openNode(store, clock, 'second');
  callTimes(second, 1);
  assert.deepEqual(await callsByDay(second), [['2026-01-31', 6]]);
});

test('what could not be stored, or may have been, is stored with the next turn and counts once', async () => {
  const { clock, store } = await open();
  const broken = faulty(store);
  const node = openNode(broken.store, clock, 'one');
  const other = openNode(store, clock, 'two');
  callTimes(node, 2);
  broken.fault.before = new Unavailable('off');
  assert.equal((await node.meter.flush()).failures.length, 1);
  assert.deepEqual(await callsByDay(other), []);
  broken.fault.before = undefined;
  broken.fault.after = new OutcomeUnknown('cut');
  assert.equal((await node.meter.flush()).failures.length, 1);
  broken.fault.after = undefined;
  callTimes(node, 1);
  assert.equal((await node.meter.flush()).failures.length, 0);
  assert.deepEqual(await callsByDay(other), [['2026-01-31', 3]]);
  assert.deepEqual(await callsByDay(node), [['2026-01-31', 3]]);
});

for (const isFolded of [false, true])
  test(`a clock that was days ahead and is right again counts on the right day${isFolded ? ', also where the day was folded meanwhile' : ''}`, async () => {
    const { clock, store } = await open('2026-01-30T12:00:00Z');
    const [node, other] = [openNode(store, clock, 'one'), openNode(store, clock, 'two')];
    await node.plans.set(
      'acme',
      { name: 'own', limits: { api_calls_per_day: 9, api_calls_per_month: 9 } },
      auditContext,
    );
    callTimes(node, 2);
    await node.meter.flush();
    clock.advance(48 * hour);
    callTimes(node, 1);
    await node.meter.flush();
    callTimes(node, 3);
    if (isFolded) await foldDays(orgScope(store), clock.now());
    clock.advance(-48 * hour);
    callTimes(node, 1);
    assert.equal(node.meter.today(), '2026-01-30');
    const { usage, today } = await node.gate.quota('acme');
    assert.deepEqual([today, usage.api_calls_per_day, usage.api_calls_per_month], ['2026-01-30', 6, 6]);
    await node.meter.flush();
    // Counts stored while the clock was wrong stay on the day that they were stored for.
    const days = [
      ['2026-01-30', 6],
      ['2026-02-01', 1],
    ];
    assert.deepEqual(await callsByDay(other), days);
    assert.deepEqual(await callsByDay(node), days);
    clock.advance(48 * hour);
    callTimes(node, 1);
    await node.meter.flush();
    assert.deepEqual(await callsByDay(other), [
      ['2026-01-30', 6],
      ['2026-02-01', 2],
    ]);
  });

test('what was being stored when the clock was set right is counted once, whether it was stored or not', async () => {
  for (const isStored of [false, true]) {
    const { clock, store } = await open('2026-01-30T12:00:00Z');
    let isFailing = !isStored;
    const held = Promise.withResolvers<void>();
    const slow = interceptStore(store, async ({ name }, call) => {
      if (name !== 'commit') return call();
      await held.promise;
      if (isFailing) throw new Unavailable('the disk is full');
      return call();
    });
    const node = openNode(slow, clock, 'one');
    clock.advance(48 * hour);
    callTimes(node, 2);
    const storing = node.meter.flush();
    clock.advance(-48 * hour);
    callTimes(node, 1);
    held.resolve();
    await storing;
    isFailing = false;
    await node.meter.flush();
    assert.deepEqual(
      await callsByDay(openNode(store, clock, 'two')),
      isStored
        ? [
            ['2026-01-30', 1],
            ['2026-02-01', 2],
          ]
        : [['2026-01-30', 3]],
    );
  }
});

test('days and months are those of UTC, and do not go back by a little', async () => {
  const { clock, store } = await open('2026-01-31T23:59:59.999Z');
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { api_calls_per_day: 9, api_calls_per_month: 9 } }, auditContext);
  callTimes(node, 2);
  clock.advance(1);
  callTimes(node, 1);
  clock.advance(-5000);
  callTimes(node, 1);
  assert.deepEqual(await callsByDay(node), [
    ['2026-01-31', 2],
    ['2026-02-01', 2],
  ]);
  const { usage, today } = await node.gate.quota('acme');
  assert.deepEqual([today, usage.api_calls_per_day, usage.api_calls_per_month], ['2026-02-01', 2, 2]);
});

test('days that are over become one row, whichever node folds them, and no call is lost or counted twice', {
  timeout: 60_000,
}, async () => {
  const { clock, store } = await open();
  const starts = Array.from({ length: 5 }, (_, index) => openNode(store, clock, `start-${index}`));
  for (const node of starts) {
    callTimes(node, 2);
    callTimes(node, 1, 'other');
    await node.meter.flush();
  }
  const scope = orgScope(store);
  await foldDays(scope, clock.now() + 12 * hour);
  assert.equal((await readDays(scope, '2026-01-01')).length, 5, 'a day that may be written to stays as it is');
  clock.advance(37 * hour);
  const [reader] = starts;
  assert.ok(reader !== undefined);
  callTimes(reader, 1);
  await reader.meter.flush();
  await Promise.all([1, 2, 3].map(() => foldDays(scope, clock.now())));
  await foldDays(scope, clock.now());
  const rows = await readDays(scope, '2026-01-01');
  assert.deepEqual(
    rows.map(({ kind, day, tally }) => [kind, day, tally.calls]),
    [
      ['folded', '2026-01-31', 15],
      ['live', '2026-02-02', 1],
    ],
  );
  const [folded] = await readWorkspaceDays(scope, '2026-01-01');
  assert.deepEqual(folded?.tallies, { main: { calls: 10, records: 0 }, other: { calls: 5, records: 0 } });
  for (const node of starts.slice(0, 2)) assert.deepEqual((await callsByDay(node))[0], ['2026-01-31', 15]);
});

test('what could not be stored for more than a day counts on the day on which it is', async () => {
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  callTimes(node, 2);
  await node.meter.flush();
  callTimes(node, 3);
  clock.advance(48 * hour);
  await foldDays(orgScope(store), clock.now());
  await node.meter.flush();
  const expected = [
    ['2026-01-31', 2],
    ['2026-02-02', 3],
  ];
  assert.deepEqual(await callsByDay(node), expected);
  assert.deepEqual(await callsByDay(openNode(store, clock, 'two')), expected);
});

test('after 400 days nothing is left of a day', async () => {
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  for (let turn = 0; turn < 3; turn++) {
    callTimes(node, 1);
    await node.meter.flush();
    await foldDays(orgScope(store), clock.now());
    clock.advance(250 * 24 * hour);
  }
  const rows = await readDays(orgScope(store), '2025-01-01');
  assert.equal(rows.length, 2);
  assert.equal((await readWorkspaceDays(orgScope(store), '2025-01-01')).length, 2);
});

test('if usage is not known no write gets in, and removals do', async () => {
  const { clock, store } = await open();
  const broken = faulty(store);
  const gated = openNode(broken.store, clock, 'one');
  await gated.plans.set('acme', { name: 'own', limits: { records: 10 } }, auditContext);
  await gated.write(5);
  clock.advance(2000);
  broken.fault.before = new Unavailable('off');
  await assert.rejects(gated.write(1), Unavailable);
  await assert.rejects(async () => gated.gate.check('acme'), Unavailable);
  (await gated.gate.admit(place, { records: -1, isRemoval: true })).refused();
  broken.fault.before = undefined;
  await gated.write(5);
  assert.equal(await recordsStored(store), 10);
});

test('an org whose calls cannot be stored writes nothing after a while, unless they have no limit', async () => {
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  for (const [limits, isOpen] of [
    [{ api_calls_per_day: 100 }, false],
    [{ records: 100 }, true],
  ] as const) {
    await node.plans.set('acme', { name: 'own', limits }, auditContext);
    callTimes(node, 1);
    clock.advance(11_000);
    if (isOpen) await node.write(1);
    else await assert.rejects(node.write(1), { code: 'unavailable' });
  }
  await node.meter.flush();
  await node.plans.set('acme', { name: 'own', limits: { api_calls_per_day: 100 } }, auditContext);
  await node.write(1);
});

test('what is being stored for long waits as well', async () => {
  const { clock, store } = await open();
  const held = Promise.withResolvers<void>();
  const slow = interceptStore(store, async ({ name, scope }, call) => {
    if (name === 'commit' && scope === orgScope(store).name) await held.promise;
    return call();
  });
  const node = openNode(slow, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { api_calls_per_day: 100 } }, auditContext);
  callTimes(node, 1);
  const flushed = node.meter.flush();
  clock.advance(11_000);
  await assert.rejects(node.write(1), { code: 'unavailable' });
  held.resolve();
  await flushed;
  await node.write(1);
});

test('what is stored of an org is the sum of its workspaces, also where a node dies amid very many of them', {
  timeout: 60_000,
}, async () => {
  const { clock, store } = await open();
  let commits = 0;
  const dying = interceptStore(store, async ({ name }, call) => {
    if (name === 'commit' && ++commits > 1) throw new Unavailable('off');
    return call();
  });
  const node = openNode(dying, clock, 'one');
  for (let nr = 0; nr < 1500; nr++) callTimes(node, 1, `w${nr}`);
  assert.equal((await node.meter.flush()).failures.length, 1);
  const { calls, problems } = await checkDays(orgScope(store));
  assert.ok(calls > 0 && calls < 1500);
  assert.deepEqual(problems, []);
});

test('another node’s calls and plans are known a second later', async () => {
  const { clock, store } = await open();
  const [one, two] = [openNode(store, clock, 'one'), openNode(store, clock, 'two')];
  await one.plans.set('acme', { name: 'own', limits: { api_calls_per_month: 5 } }, auditContext);
  await two.write(1);
  callTimes(one, 5);
  await assert.rejects(one.write(1), { code: 'plan_limit_exceeded' });
  await one.meter.flush();
  clock.advance(1000);
  await assert.rejects(two.write(1), { code: 'plan_limit_exceeded' });
  await one.plans.set('acme', { name: 'unlimited' }, auditContext);
  await one.write(1);
  clock.advance(1000);
  await two.write(1);
});

test('a write with an unknown outcome makes the records be added up again', async () => {
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { records: 2 } }, auditContext);
  const pass = await node.gate.admit(place, { records: 1, isRemoval: false });
  await store.scope('acme-main').commit([{ kind: 'add', pk: 'count', sk: 'order', by: 1 }]);
  pass.unknown();
  await node.write(1);
  await assert.rejects(node.write(1), { code: 'plan_limit_exceeded' });
});

test('a reached limit has its own flag', () => {
  const limits = { api_calls_per_day: 10, api_calls_per_month: 20, records: 5 };
  const usage = { api_calls_per_day: 9, api_calls_per_month: 20, records: 4 };
  assert.deepEqual(flagsOf(limits, usage), {
    apiLimitExceeded: true,
    dailyLimitExceeded: false,
    recordLimitExceeded: false,
  });
  assert.deepEqual(Object.values(flagsOf({}, usage)), [false, false, false]);
});

test('a forecast goes on as the last week went', () => {
  const today = '2026-01-11';
  const noon = Date.parse(`${today}T12:00:00Z`);
  const days = new Map(
    Array.from({ length: 7 }, (_, back) => [
      `2026-01-${String(11 - back).padStart(2, '0')}`,
      { calls: 100, records: 10 },
    ]),
  );
  days.set(today, { calls: 50, records: 5 });
  const quota = (limits: QuotaUsage['limits'], usage: Partial<QuotaUsage['usage']>): QuotaUsage => ({
    limits,
    usage: { api_calls_per_day: 50, api_calls_per_month: 1000, records: 100, ...usage },
    today,
  });
  assert.deepEqual(forecast(quota({}, {}), days, noon), {
    api_calls_per_day: null,
    api_calls_per_month: null,
    records: null,
  });
  const near = quota({ api_calls_per_day: 100, api_calls_per_month: 1500, records: 200 }, {});
  assert.deepEqual(forecast(near, days, noon), {
    api_calls_per_day: today,
    api_calls_per_month: '2026-01-16',
    records: '2026-01-21',
  });
  const far = quota({ api_calls_per_day: 101, api_calls_per_month: 9000, records: 1_000_000 }, {});
  assert.deepEqual(Object.values(forecast(far, days, noon)), [null, null, null]);
  const emptied = quota({ records: 200 }, { records: 13 });
  assert.equal(forecast(emptied, days, noon).records, '2026-04-14', 'no more has come and stayed than is there');
  const reached = quota({ records: 100 }, {});
  assert.equal(forecast(reached, new Map(), noon).records, today);
});
