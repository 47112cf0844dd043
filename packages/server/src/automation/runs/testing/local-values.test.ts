/** Values that depend on the node that makes them stay what they were, when another node takes the run up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledTemplate } from '../../../expressions/port.ts';
import { crashing, type Moment } from '../../../store/testing/failing-store.ts';
import { raceKinds } from '../../../store/testing/open-test-store.ts';
import { listAll, openBench, RecordBench } from '../../../testing/record-bench.ts';
import type { StepRun } from '../../blocks/block-run.ts';
import { retryRun } from '../control-run.ts';
import { showRun } from '../run-log.ts';
import { dies, settle, states } from './account-runs.ts';
import { runRows } from './opened-runs.ts';
import { openRunBench, type RunBench } from './run-bench.ts';

/** The time zones of each evaluation are others. */
class Zones {
  evaluated = 0;

  readonly template: CompiledTemplate = {
    expressions: 1,
    isOfNode: true,
    evaluate: () => {
      this.evaluated += 1;
      return `day ${this.evaluated}`;
    },
  };
}

const steps: CompiledTemplate = { expressions: 1, isOfNode: false, evaluate: ({ steps: done }) => done.day };

function write(id: string): StepRun {
  return async (run, path) => {
    const name = run.evaluate(steps);
    return { value: await run.entity(path, { id, type: 'create', entity: 'account', values: { name } }) };
  };
}

async function openStage(context: Parameters<typeof openBench>[0], kind: Parameters<typeof openBench>[1]) {
  const org = await openBench(context, kind);
  await org.node().admin.define('acme', { entityName: 'account', UpdateParams: [{ name: 'name' }] });
  let workspaces = 0;
  return async () => {
    workspaces += 1;
    const records = new RecordBench(org.opened, org.clock, `w${workspaces}`);
    const zones = new Zones();
    const day: StepRun = (run) => ({ value: run.evaluate(zones.template) });
    const pause: StepRun = async (run, path) => {
      await run.effects.wait(path, 'pause', 3_600_000);
      return { value: null };
    };
    const fails: StepRun = async (run, path) => ({
      value: await run.entity(path, { id: 'fails', type: 'get', entity: 'account', record: 'none' }),
    });
    const blocks = {
      waits: { day, first: write('first'), pause, second: write('second') },
      fails: { day, first: write('first'), fails },
    };
    return { zones, bench: await openRunBench(records, { blocks }) };
  };
}

async function names({ records }: RunBench): Promise<readonly unknown[]> {
  const node = records.node();
  return (await listAll(node, await node.call('account'))).map(({ name }) => name);
}

for (const kind of raceKinds)
  test(`a value that depends on the node is what the first node made of it, at whichever call of the store the process dies (${kind})`, async (context) => {
    const open = await openStage(context, kind);
    let takenUp = 0;
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        const { bench, zones } = await open();
        const store = crashing(bench.records.opened.store, left, when);
        const hasDied = await dies(bench.call(bench.deps(store), 'waits'));
        await settle(bench);
        const written = await names(bench);
        const isThere = (await states(bench)).length > 0;
        assert.equal(written.length, isThere ? 2 : 0, `${when} call ${left}`);
        assert.ok(new Set(written).size <= 1, `${when} call ${left}: ${written.join()}`);
        assert.equal(zones.evaluated, 1, `${when} call ${left}`);
        if (isThere) takenUp += 1;
        if (!hasDied) break;
      }
    assert.ok(takenUp > 10, `${takenUp} runs were taken up by another process`);
  });

test('a retry keeps the value too, and a run does not show it among its steps', async (context) => {
  const { bench, zones } = await (await openStage(context, 'memory'))();
  const { run } = await bench.call(bench.deps(), 'fails');
  const name = { env: 'test', orgCode: 'acme', id: run.id } as const;
  const { store } = bench.records.opened;
  const shown = await showRun({ runRows, stores: { test: store, prod: store } }, name);
  assert.deepEqual(
    shown.steps.map(({ id }) => id),
    ['first', 'fails'],
  );
  const by = { at: '', actor: { kind: 'org_user', id: 'b1' }, request_id: '' } as const;
  await retryRun({ ...bench.deps(), wake: () => undefined }, name, { by, from: 'first' });
  await settle(bench);
  assert.deepEqual([zones.evaluated, await names(bench)], [1, ['day 1', 'day 1']]);
});
