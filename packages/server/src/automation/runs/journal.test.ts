import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBench, type RecordBench } from '../../testing/record-bench.ts';
import { leaseMilliseconds, RunJournal } from './journal.ts';
import { dueRunKey, type Run } from './run-rows.ts';
import { runRows } from './testing/opened-runs.ts';

const startedAt = 0;
const retentionOf = async () => ({ runs: 1, receipts: 1 });
const note = (id: string) => ({ id, type: 'get', began: startedAt });

function runIn({ newId }: RecordBench): Run {
  return {
    ...{ id: newId(), block: 'b', version: 1, blocks: { b: 1 }, trigger: { kind: 'call', id: 'r1' }, input: {} },
    ...{ state: 'running', user: { id: 'u1', kind: 'person' }, depth: 0, chain: [], started_at: '', now: 0 },
    ...{ taken: 0, stalled: 0, steps: 0 },
  };
}

async function pathsOf({ workspace }: RecordBench, run: Run): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const rows of runRows(workspace.scope).steps(run.id)) paths.push(...rows.map(({ sk }) => sk));
  return paths;
}

test('what a branch read while another branch committed is stored with the next commit', async (context) => {
  const bench = await openBench(context);
  const run = runIn(bench);
  const { clock, workspace } = bench;
  const journal = new RunJournal({ runRows, clock, workspace, retentionOf, nodeId: 'one' }, run);
  await journal.effect('1', { note: note('write'), outputOf: async () => 'written' }, async (along) => {
    const changes = await along([undefined]);
    await journal.note('2', note('read'), 'read');
    await bench.workspace.scope.commit(changes.map(({ change }) => change));
  });
  assert.deepEqual(await pathsOf(bench, run), ['1']);
  await journal.store();
  assert.deepEqual(await pathsOf(bench, run), ['1', '2']);
});

test('a run whose wait ended while another of its branches worked is due at once', async (context) => {
  const bench = await openBench(context);
  const { clock } = bench;
  const journal = new RunJournal(
    { runRows, clock, workspace: bench.workspace, retentionOf, nodeId: 'one' },
    runIn(bench),
  );
  const over = clock.now() + 1000;
  assert.equal(journal.isWaiting('1', note('short'), over), true);
  assert.equal(journal.isWaiting('2', note('long'), over + 60_000), true);
  clock.advance(5000);
  assert.equal(journal.earliestWait(), over);
  assert.equal(journal.isWaiting('1', note('short'), over), false);
});

test('a run that is stored is due when its lease ends, and names the node that is at it', async (context) => {
  const bench = await openBench(context);
  const { clock, workspace } = bench;
  const run = runIn(bench);
  const journal = new RunJournal({ runRows, clock, workspace, retentionOf, nodeId: 'one' }, run);
  const leased = { by: 'one', until: clock.now() + leaseMilliseconds };
  await journal.store();
  const [due] = await workspace.scope.get([dueRunKey(run.id)]);
  assert.deepEqual([due?.due?.at, due?.value], [leased.until, JSON.stringify({ job: 'run', leased })]);
});
