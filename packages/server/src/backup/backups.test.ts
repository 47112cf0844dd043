import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { startBackupSchedule } from './backups.ts';

const minute = 60_000;
const noon = Date.UTC(2026, 0, 15, 12);

/** A clock that timers follow, and the times at which backups of the schedule `cron` were begun. */
function scheduled(t: TestContext, cron: string, last: number | undefined, fails = false) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: noon });
  t.after(() => mock.timers.reset());
  const started: string[] = [];
  const errors: unknown[] = [];
  const runner = {
    lastScheduled: last,
    startScheduled: async () => {
      if (fails) throw new Error('no store');
      runner.lastScheduled = Date.now();
      started.push(new Date().toISOString().slice(8, 16));
    },
  };
  const clock = { now: () => Date.now() };
  const schedule = startBackupSchedule(runner, cron, { clock, onError: (error) => errors.push(error) });
  t.after(schedule.close);
  const pass = async (minutes: number): Promise<void> => {
    for (let half = 0; half < 2 * minutes; half++) {
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(minute / 2);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, errors, pass, schedule };
}

test('a backup is begun at each time, and at no other', async (t) => {
  const { started, pass } = scheduled(t, '30 12,13 * * *', undefined);
  await pass(29);
  assert.deepEqual(started, []);
  await pass(100);
  assert.deepEqual(started, ['15T12:30', '15T13:30']);
});

test('times that were missed are made up for once, at the start', async (t) => {
  const { started, pass } = scheduled(t, '0 3 * * *', noon - 3 * 24 * 60 * minute);
  await pass(60);
  assert.deepEqual(started, ['15T12:00']);
});

test('a new schedule makes up for nothing, and a failure ends it as little as the close lets it go on', async (t) => {
  const fresh = scheduled(t, '0 3 * * *', undefined);
  await fresh.pass(60);
  assert.deepEqual(fresh.started, []);
  fresh.schedule.close();
  mock.timers.reset();
  const failing = scheduled(t, '*/10 * * * *', undefined, true);
  await failing.pass(25);
  const { length } = failing.errors;
  assert.ok(length > 1);
  failing.schedule.close();
  await failing.pass(25);
  assert.equal(failing.errors.length, length);
});
