import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { openBench, RecordBench } from '../../testing/record-bench.ts';
import { runs } from './run-rows.ts';
import { startRun } from './start-run.ts';
import { openRunBench } from './testing/run-bench.ts';

const hour = 3_600_000;

for (const kind of raceKinds) {
  test(`a step that is refused because others of the org wait is tried again where no caller waits, for a day (${kind})`, async (context) => {
    const org = await openBench(context, kind);
    const records = new RecordBench(org.opened, org.clock, 'w1');
    let isBusy = true;
    let tries = 0;
    const bench = await openRunBench(records, {
      blocks: {
        queued: {
          one: async () => {
            tries += 1;
            if (isBusy) throw new Problem('rate_limited', 'others of the org wait');
            return { value: null };
          },
        },
      },
    });
    assert.equal((await bench.call(bench.deps(), 'queued')).refusal?.code, 'rate_limited');
    const begin = async () => {
      const id = records.newId();
      return startRun(bench.deps(), {
        ...(await bench.ask('queued')),
        id,
        trigger: { kind: 'schedule', id, name: 'queued' },
      });
    };
    const stands = async (id: string) => {
      const row = await runs.read(records.workspace.scope, id);
      return [row?.value.state, row?.value.error?.code];
    };
    const first = await begin();
    for (let visits = 0; visits < 10; visits++) {
      await bench.visit();
      assert.deepEqual(await stands(first.id), ['waiting', undefined]);
      const before = tries;
      await bench.visit();
      assert.equal(tries, before);
      records.clock.advance(5 * 60_000);
    }
    isBusy = false;
    await bench.visit();
    assert.deepEqual(await stands(first.id), ['done', undefined]);
    isBusy = true;
    const second = await begin();
    await bench.visit();
    records.clock.advance(24 * hour);
    await bench.visit();
    assert.deepEqual(await stands(second.id), ['failed', 'rate_limited']);
  });
}
