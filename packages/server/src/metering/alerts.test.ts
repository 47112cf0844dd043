import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../store/testing/open-store.ts';
import { type Announce, createAlertPercents, createAlerts } from './alerts.ts';
import { SteppedClock } from './testing/metered-org.ts';

test('what is reached is shown once in its window: a day, and a month also for records, which are never counted again', async () => {
  const clock = new SteppedClock('2026-01-30T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  const announce: Announce = async (_org, { data }) => [{ kind: 'add', pk: 'told', sk: String(data.metric), by: 1 }];
  const percents = createAlertPercents({ platform, clock });
  const alerts = createAlerts({ platform, now: () => clock.now(), announce, percents });
  const reach = async (today: string) => {
    const all = {
      ...{ api_calls_per_day: 10, api_calls_per_month: 10, records: 10 },
      ...{ runs_per_day: 10, deliveries_per_day: 10, script_seconds_per_day: 10, mails_per_day: 10 },
    };
    for (let turn = 0; turn < 2; turn++) await alerts.notify('acme', { limits: all, usage: all, today });
    return (await platform.range('told', { limit: 9 })).map(({ sk, value }) => [sk, Number(value)]);
  };
  for (const [today, day, month] of [
    ['2026-01-30', 1, 1],
    ['2026-01-31', 2, 1],
    ['2026-02-01', 3, 2],
  ] as const)
    assert.deepEqual(await reach(today), [
      ['api_calls_per_day', day],
      ['api_calls_per_month', month],
      ['deliveries_per_day', day],
      ['mails_per_day', day],
      ['records', month],
      ['runs_per_day', day],
      ['script_seconds_per_day', day],
    ]);
});
