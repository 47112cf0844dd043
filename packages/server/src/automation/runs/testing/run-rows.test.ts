/** The values of runs lie sealed, and those that an earlier release has stored are read as they lie. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DamagedRow, type Row } from '../../../store/table.ts';
import { openBench, type RecordBench } from '../../../testing/record-bench.ts';
import { type Run, type RunRows, type RunStep, storedRuns } from '../run-rows.ts';
import { startRun } from '../runs.ts';
import { accounts, openOrg, states, waitMilliseconds } from './account-runs.ts';
import { openedRuns, runRows } from './opened-runs.ts';

const secret = 'a value of a run';

const step: RunStep = {
  ...{ id: 'read', type: 'get', state: 'done', at: '', ms: 1 },
  output: { title: secret },
  log: { lines: [secret] },
  error: { code: 'no', message: secret },
};

function runIn({ newId }: RecordBench): Run {
  return {
    ...{
      id: newId(),
      block: 'b',
      version: 1,
      blocks: { b: 1 },
      trigger: { kind: 'call', id: 'r1' },
      input: { pin: secret },
    },
    ...{ state: 'failed', user: { id: 'u1', kind: 'person' }, depth: 0, chain: [], started_at: '', now: 0 },
    ...{ taken: 0, stalled: 0, steps: 0, given: { event: { of: secret } }, returns: secret },
    error: { code: 'no', message: secret },
  };
}

async function stored(bench: RecordBench) {
  const run = runIn(bench);
  const rows = runRows(bench.workspace.scope);
  await bench.workspace.scope.commit([rows.insert(run), rows.insertStep({ run: run.id, path: '1.2' }, step)]);
  return { run, rows };
}

test('no value of a run or a step is in the text that is stored, and each is read as it was', async (context) => {
  const bench = await openBench(context);
  const { run, rows } = await stored(bench);
  const texts = (await bench.contents()).filter(({ pk }) => pk.startsWith('run')).map(({ value }) => value);
  assert.equal(texts.length, 2);
  for (const text of texts) assert.ok(!text.includes(secret), text);
  assert.deepEqual((await rows.read(run.id))?.value, run);
  assert.deepEqual(
    (await stepsOf(rows, run.id)).map(({ sk, value }) => [sk, value]),
    [['1.2', step]],
  );
});

test('values that were moved to another run, or are no values of this platform, do not open', async (context) => {
  const bench = await openBench(context);
  const { scope } = bench.workspace;
  const { run } = await stored(bench);
  const row = await storedRuns.read(scope, run.id);
  assert.ok(row);
  const other = bench.newId();
  await scope.commit([storedRuns.insert(other, { ...row.value, id: other })]);
  await assert.rejects(runRows(scope).read(other), DamagedRow);
  const elsewhere = bench.opened.store.scope('org#other-main');
  await elsewhere.commit([storedRuns.insert(run.id, row.value)]);
  await assert.rejects(runRows(elsewhere).read(run.id), DamagedRow);
});

test('a run that an earlier release has stored goes on from what it has, and lies sealed from then on', async (context) => {
  const openAccounts = await openOrg(context, 'memory');
  const bench = await openAccounts();
  const { records } = bench;
  const { scope } = records.workspace;
  const id = records.newId();
  await startRun(bench.deps(), { ...(await bench.ask('waitingPayment', { secret })), id });
  await bench.pass();
  assert.deepEqual(await states(bench), ['waiting']);
  await storeInClear(scope, id);
  const clear = (await records.contents()).filter(({ value }) => value.includes(secret));
  assert.deepEqual(
    clear.map(({ pk }) => pk),
    ['run'],
  );
  records.clock.advance(waitMilliseconds);
  await bench.workOff();
  assert.deepEqual(await states(bench), ['done']);
  assert.ok((await accounts(bench)).length > 0);
  const [row] = await openedRuns(scope);
  assert.deepEqual(row?.value.input, { secret });
  assert.deepEqual(
    (await records.contents()).filter(({ value }) => value.includes(secret)),
    [],
  );
});

async function stepsOf(rows: RunRows, id: string): Promise<readonly Row<RunStep>[]> {
  const steps: Row<RunStep>[] = [];
  for await (const page of rows.steps(id)) steps.push(...page);
  return steps;
}

/** As rows were before their values were sealed. */
async function storeInClear(scope: RecordBench['workspace']['scope'], id: string): Promise<void> {
  const rows = runRows(scope);
  const run = await rows.read(id);
  assert.ok(run);
  const steps = await stepsOf(rows, id);
  assert.ok(steps.length > 0);
  const clear = [run, ...steps].map(({ pk, sk, value, due }) => ({
    ...({ kind: 'put', pk, sk, if: 'present' } as const),
    value: JSON.stringify(value),
    ...(due === undefined ? {} : { due }),
  }));
  await scope.commit(clear);
}
