import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { nextDue } from '../../lib/scheduling/next-due.ts';
import { Crash, crashing, type Moment } from '../../store/testing/failing-store.ts';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { appUserId } from '../runs/run-rows.ts';
import { every, openScheduleBench, place, type ScheduleBench } from './testing/schedule-bench.ts';

const minute = 60_000;
const hour = 60 * minute;
const by = { at: '', actor: { kind: 'org_user', id: 'b' }, request_id: 'r' } as const;

/** The hours at which a schedule of every hour is due, from now on. */
function hoursFrom({ bench }: ScheduleBench, count: number): readonly string[] {
  const first = (Math.floor(bench.clock.now() / hour) + 1) * hour;
  return Array.from({ length: count }, (_, index) => new Date(first + index * hour).toISOString());
}

async function settle(node: { pass(): Promise<number> }): Promise<void> {
  for (let turns = 0; (await node.pass()) > 0; turns++) assert.ok(turns < 100, 'it stays due');
}

/** To the next full hour. */
function toHour({ bench: { clock } }: ScheduleBench): void {
  clock.advance(hour - (clock.now() % hour));
}

for (const kind of raceKinds) {
  test(`a schedule begins one run for each due time, by the app itself and with the time in its event (${kind})`, async (context) => {
    const bench = await openScheduleBench(context, kind);
    await bench.define('report', every());
    const node = bench.node();
    await settle(node);
    const hours = hoursFrom(bench, 3);
    for (const _ of hours) {
      toHour(bench);
      await settle(node);
    }
    assert.deepEqual(await bench.started('report'), hours);
    const [run] = await bench.runsOf();
    assert.deepEqual(run?.user, { id: appUserId, kind: 'app' });
    assert.deepEqual(run.trigger, { kind: 'schedule', id: hours[0], name: 'report' });
    const event = { id: run.id, type: 'schedule', timestamp: hours[0], depth: 1, path: '' };
    assert.deepEqual([run.input, run.given, run.depth, run.chain], [{}, { event }, 0, []]);
  });

  test(`a due time has one run, at whichever call of the store a node dies that begins it (${kind})`, async (context) => {
    const bench = await openScheduleBench(context, kind);
    await bench.define('report', every({ workspaces: 'all' }));
    await bench.bench.found(bench.bench.workspaceOf('other'));
    await settle(bench.node());
    const hours: string[] = [];
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        hours.push(...hoursFrom(bench, 1));
        toHour(bench);
        const store = crashing(bench.bench.opened.store, left, when);
        const hasDied = await bench
          .node({ store })
          .pass()
          .then(
            () => false,
            (error: unknown) => assert.ok(error instanceof Crash, String(error)) ?? true,
          );
        await Promise.all([settle(bench.node()), settle(bench.node())]);
        for (const code of ['main', 'other'])
          assert.deepEqual(await bench.started('report', code), hours, `${when} ${left} ${code}`);
        if (!hasDied) break;
      }
    assert.ok(hours.length > 12, `${hours.length} calls`);
  });

  test(`several nodes whose clocks differ begin one run for each due time (${kind})`, async (context) => {
    const bench = await openScheduleBench(context, kind);
    await bench.define('report', every({ cron: '*/7 * * * *', missed: 'once' }));
    const nodes = [bench.node(), bench.node({ ahead: 900 }), bench.node({ ahead: -1500 })];
    const from = bench.bench.clock.now();
    for (let turns = 0; turns < 120; turns++) {
      await Promise.all(nodes.map((node) => node.pass()));
      bench.bench.clock.advance(minute / 2);
    }
    await settle(bench.node());
    const started = await bench.started('report');
    const expected: string[] = [];
    for (
      let due = nextDue(sevens, from);
      due !== undefined && due <= bench.bench.clock.now();
      due = nextDue(sevens, due)
    )
      expected.push(new Date(due).toISOString());
    assert.deepEqual(started, expected);
    assert.ok(started.length >= 8, `${started.length}`);
  });
}

const sevens = { cron: '*/7 * * * *', timezone: 'UTC' };

test('what was missed is skipped, or made up for by one run, and what is late by minutes is neither', async (context) => {
  for (const [missed, late] of [
    ['skip', []],
    ['once', [11]],
  ] as const) {
    const bench = await openScheduleBench(context);
    await bench.define('report', every({ missed }));
    await settle(bench.node());
    const hours = hoursFrom(bench, 13);
    bench.bench.clock.advance(12 * hour);
    toHour(bench);
    bench.bench.clock.advance(-4 * minute);
    await settle(bench.node());
    assert.deepEqual(
      await bench.started('report'),
      late.map((index) => hours[index]),
      missed,
    );
    const [{ last } = assert.fail()] = await bench.node().schedules.list(place);
    assert.equal(last?.state, missed === 'skip' ? 'skipped' : 'started');
    bench.bench.clock.advance(8 * minute);
    await settle(bench.node());
    assert.deepEqual(
      await bench.started('report'),
      [...late, 12].map((index) => hours[index]),
      missed,
    );
  }
});

test('a schedule follows its block: changed, without a schedule, by its caller, or gone', async (context) => {
  const bench = await openScheduleBench(context);
  const node = bench.node();
  const names = async () => (await node.schedules.list(place)).map(({ name, cron }) => [name, cron]);
  await bench.define('report', every());
  await settle(node);
  assert.deepEqual(await names(), [['report', '0 * * * *']]);
  await bench.define('report', every({ cron: '30 * * * *' }));
  // The hour comes before anything has looked at the change.
  toHour(bench);
  const [, tick = assert.fail('nothing is due')] = await bench.bench.opened.maintenance.due(
    'automation',
    bench.bench.clock.now(),
    10,
  );
  assert.equal(tick.item.sk, 'schedule;report');
  await settle(node);
  assert.deepEqual(await bench.started('report'), []);
  assert.deepEqual(await names(), [['report', '30 * * * *']]);
  const { run_as: _, ...byCaller } = every();
  for (const content of [{}, byCaller, undefined]) {
    await bench.define('report', every());
    await settle(node);
    await bench.define('report', content);
    toHour(bench);
    await settle(node);
    assert.deepEqual([await names(), await bench.started('report')], [[], []]);
    const due = await bench.bench.opened.maintenance.due('automation', Number.MAX_SAFE_INTEGER, 10);
    assert.deepEqual(
      due.map(({ item }) => item.sk),
      [],
    );
  }
});

test('a paused schedule begins nothing, also after a publication, and makes up for nothing', async (context) => {
  const bench = await openScheduleBench(context);
  const node = bench.node();
  await bench.define('report', every({ missed: 'once' }));
  const name = { ...place, block: 'report' };
  await node.schedules.pause(name, by);
  await settle(node);
  toHour(bench);
  await bench.define('report', every({ missed: 'once', cron: '1 * * * *' }));
  bench.bench.clock.advance(3 * hour);
  await settle(node);
  assert.deepEqual(await bench.started('report'), []);
  await node.schedules.resume(name, by);
  await settle(node);
  assert.deepEqual(await bench.started('report'), []);
  bench.bench.clock.advance(minute);
  await settle(node);
  assert.equal((await bench.started('report')).length, 1);
  await assert.rejects(node.schedules.pause({ ...place, block: 'none' }, by), { code: 'not_found' });
});

test('a run that may not begin is told, and the next time is as usual', async (context) => {
  const bench = await openScheduleBench(context);
  const node = bench.node();
  await bench.define('report', every());
  await settle(node);
  const hours = hoursFrom(bench, 2);
  bench.refusal = new Problem('plan_limit_exceeded', 'as many runs as the plan has');
  toHour(bench);
  await settle(node);
  assert.deepEqual([bench.report, await bench.started('report')], [['report'], []]);
  const [{ last } = assert.fail()] = await node.schedules.list(place);
  assert.deepEqual(last, { due: hours[0], state: 'refused', code: 'plan_limit_exceeded' });
  bench.refusal = undefined;
  toHour(bench);
  await settle(node);
  assert.deepEqual(await bench.started('report'), [hours[1]]);
});

test('a due time of all workspaces has a run in each that is ready, over several turns', async (context) => {
  const bench = await openScheduleBench(context);
  const codes = Array.from({ length: 120 }, (_, index) => `w${String(index).padStart(3, '0')}`);
  for (const code of codes) await bench.bench.found(bench.bench.workspaceOf(code));
  await bench.define('report', every({ workspaces: 'all' }));
  await settle(bench.node());
  const hours = hoursFrom(bench, 1);
  toHour(bench);
  await settle(bench.node());
  for (const code of ['main', ...codes]) assert.deepEqual(await bench.started('report', code), hours, code);
});

test('a paused schedule stays paused where a publication takes its block away and another brings it back', async (context) => {
  const bench = await openScheduleBench(context);
  const node = bench.node();
  for (const without of [undefined, { run_as: 'app' } as const]) {
    await bench.define('report', every());
    await settle(node);
    await node.schedules.pause({ ...place, block: 'report' }, by);
    await bench.define('report', without);
    await settle(node);
    assert.deepEqual(await node.schedules.list(place), []);
    await bench.define('report', every({ cron: '*/30 * * * *' }));
    await settle(node);
    assert.equal((await node.schedules.list(place))[0]?.paused, true);
    toHour(bench);
    await settle(node);
    assert.deepEqual(await bench.started('report'), []);
  }
});
