/** A record comes to refer to what a large removal takes along, whichever call of the one the other falls before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { openBench, outcomeOf, type RecordBench } from '../../testing/record-bench.ts';
import { everyInterleaving, type Interleaving } from '../testing/interleaving.ts';
import { assertSound, defineAll, stored, toItsEnd, workOff } from './testing/removal-stage.ts';

/** By the field of the reference: what comes of the write and of the removal, and then of the holder. */
const fair = {
  guard: ['done, failed: holds it', 'conflict, done: holds nothing', 'validation_failed, done: holds nothing'],
  note: ['done, done: holds nothing', 'conflict, done: holds nothing', 'validation_failed, done: holds nothing'],
  team: ['done, done: is gone', 'conflict, done: holds nothing', 'validation_failed, done: holds nothing'],
} as const;

for (const [field, outcomes] of Object.entries(fair))
  for (const kind of raceKinds.filter((one) => one === 'memory' || field === 'guard'))
    test(`what comes to refer by \`${field}\` to what a job removes is found, or is refused (${kind})`, async (context) => {
      const bench = await openBench(context, kind);
      await defineAll(bench);
      const seen = new Set<string>();
      let workspaces = 0;
      await everyInterleaving('edges', async (interleaving) => {
        const outcome = await meet(bench, {
          interleaving,
          field,
          tenantCode: `w${++workspaces}`,
          // A disk and a server take their time for each step.
          recordsPerStep: kind === 'memory' ? 2 : 10,
        });
        assert.ok((outcomes as readonly string[]).includes(outcome), `${outcome}, ${interleaving.name}`);
        seen.add(outcome);
      });
      assert.ok(seen.has(outcomes[0]) && seen.size > 1, [...seen].join('; '));
    });

interface Meeting {
  readonly interleaving: Interleaving;
  readonly field: string;
  /** Of a workspace of its own. */
  readonly tenantCode: string;
  readonly recordsPerStep: number;
}

async function meet(bench: RecordBench, { interleaving, field, tenantCode, recordsPerStep }: Meeting): Promise<string> {
  const workspace = bench.workspaceOf(tenantCode);
  const judge = bench.node();
  const [team, task] = [await judge.call('team', { workspace }), await judge.call('task', { workspace })];
  const root = (await judge.runtime.create(team, {})).data.id;
  const below = (await judge.runtime.create(team, { above: root })).data.id;
  for (let more = 0; more < 2; more++) await judge.runtime.create(team, { above: below });
  const holder = (await judge.runtime.create(task, { key: 'k' })).data.id;
  const [own, other] = interleaving.stores(bench.opened.store);
  const [referring, removing] = [bench.node(own), bench.node(other)];
  const [outcome, id] = await interleaving.run(
    async () => {
      const call = await referring.call('task', { workspace });
      return outcomeOf(referring.runtime.update(call, { id: holder, body: { [field]: below } }));
    },
    async () => {
      const job = await removing.removals.start(await removing.call('team', { workspace }), { id: root });
      await workOff(bench, other, recordsPerStep);
      return job.id;
    },
  );
  const { state } = await toItsEnd(bench, workspace, { id, recordsPerStep });
  await assertSound(bench, workspace);
  const left = await stored(judge, workspace);
  assert.equal(left.has(root), state === 'failed');
  assert.equal(left.size, state === 'failed' ? 5 : left.has(holder) ? 1 : 0);
  const held = left.get(holder)?.holds[field];
  return `${outcome}, ${state}: ${left.has(holder) ? (held === undefined ? 'holds nothing' : 'holds it') : 'is gone'}`;
}

test('until a record is removed it can be read, and nothing else changes or removes it', async (context) => {
  const bench = await openBench(context);
  await defineAll(bench);
  const node = bench.node();
  const team = await node.call('team');
  const root = (await node.runtime.create(team, {})).data.id;
  const below = (await node.runtime.create(team, { above: root })).data.id;
  const job = await node.removals.start(team, { id: root });
  const before = await node.runtime.get(team, root);
  assert.equal(await outcomeOf(node.runtime.update(team, { id: root, body: { title: 'new' } })), 'conflict');
  assert.equal(await outcomeOf(node.runtime.create(team, { above: root })), 'conflict');
  assert.equal(await outcomeOf(node.runtime.remove(team, { id: root })), 'conflict');
  assert.deepEqual(await node.runtime.get(team, root), before);
  // A record that the job has not reached yet is like any other record.
  await node.runtime.update(team, { id: below, body: { title: 'new' } });
  assert.equal((await node.removals.start(team, { id: root })).id, job.id);
  const other = (await node.runtime.create(team, {})).data.id;
  assert.equal(await outcomeOf(node.removals.start(team, { id: other })), 'conflict');
  const elsewhere = { ...team, actor: { userId: 'another', claims: {} } };
  assert.equal(await outcomeOf(node.removals.start(elsewhere, { id: root })), 'conflict');
  assert.deepEqual(await node.removals.cancel(bench.workspace, job.id), { ...job, state: 'cancelled' });
  assert.equal(await outcomeOf(node.removals.cancel(bench.workspace, job.id)), 'conflict');
  const ended = await toItsEnd(bench, bench.workspace, { id: job.id, recordsPerStep: 2 });
  assert.deepEqual([ended.state, ended.done], ['cancelled', 0]);
  await node.runtime.update(team, { id: root, body: { title: 'new' } });
  assert.equal((await stored(node, bench.workspace)).size, 3);
  bench.clock.advance(7 * 24 * 60 * 60 * 1000 + 1);
  assert.equal(await node.removals.find(bench.workspace, job.id), undefined);
});

test('a removal that a definition meets on its way takes along what refers to it by then', async (context) => {
  const bench = await openBench(context);
  await defineAll(bench);
  const node = bench.node();
  const [team, task] = [await node.call('team'), await node.call('task')];
  const root = (await node.runtime.create(team, {})).data.id;
  const held = (await node.runtime.create(task, { key: 'k', note: root })).data.id;
  const { id } = await node.removals.start(team, { id: root });
  const UpdateParams = [{ name: 'note', lookup: { entity: 'team', onDelete: 'cascade' } }];
  await node.admin.change('acme', { api: 'create-task', body: { UpdateParams } });
  await bench.workOff();
  const { state, done } = await toItsEnd(bench, bench.workspace, { id, recordsPerStep: 2 });
  assert.deepEqual([state, done], ['done', 2]);
  assert.equal((await stored(node, bench.workspace)).has(held), false);
  await assertSound(bench, bench.workspace);
});
