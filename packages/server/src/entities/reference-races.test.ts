/** No reference is left behind, however many nodes write at once and however old what they know is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maintainEntity } from '../records/reindex/maintain-entity.ts';
import type { RecordCall } from '../records/writing/write-loop.ts';
import type { OnDelete } from '../schema/definition.ts';
import { roundsOn, storeKinds } from '../store/testing/open-test-store.ts';
import { stopTime } from '../testing/held-time.ts';
import { derived, listAll, type Node, openBench, outcomeOf, type RecordBench } from '../testing/record-bench.ts';

const modes: readonly OnDelete[] = ['restrict', 'cascade', 'setnull'];
const absentId = '01890000-0000-7000-8000-000000000000';

/** Two nodes that know both entities, and what their requests begin with. */
async function twoNodes(bench: RecordBench, onDelete: OnDelete) {
  const [one, other] = [bench.node(), bench.node()];
  await one.admin.define('acme', { entityName: 'target', UpdateParams: [{ name: 'note' }] });
  await one.admin.define('acme', holder(onDelete));
  await other.configs.refresh('acme');
  const [target, held] = [await one.call('target'), await one.call('holder')];
  return { nodes: [one, other] as const, target, held };
}

function holder(onDelete: OnDelete) {
  const UpdateParams = [{ name: 'ref', colType: 'guid', lookup: { entity: 'target', onDelete } }, { name: 'note' }];
  return { entityName: 'holder', UpdateParams };
}

/** The possible outcomes of the writes of a round. */
const fair: Readonly<Record<'create' | 'update' | 'remove', readonly string[]>> = {
  create: ['done', 'validation_failed'],
  update: ['done', 'validation_failed', 'not_found'],
  remove: ['done', 'dangling_reference', 'not_found'],
};

for (const kind of storeKinds)
  for (const onDelete of modes)
    test(`no holder is left of a target that is removed while it is being referred to (${onDelete}, ${kind})`, async (context) => {
      stopTime(context);
      const bench = await openBench(context, kind);
      const { nodes, target, held } = await twoNodes(bench, onDelete);
      const seen = new Set<string>();
      for (let round = 0; round < roundsOn(kind, 120); round++) {
        const { id } = (await nodes[0].runtime.create(target, {})).data;
        const loose = (await nodes[0].runtime.create(held, {})).data.id;
        const work = [
          ...[0, 1, 2].map((n) => ['create', () => nodeOf(nodes, n).runtime.create(held, { ref: id })] as const),
          ['update', () => nodes[1].runtime.update(held, { id: loose, body: { ref: id } })] as const,
          ...[0, 1].map((n) => ['remove', () => nodeOf(nodes, n).runtime.remove(target, { id })] as const),
        ];
        const started = work.map(async ([what, begin], index) => {
          for (let turn = (round * (index + 3)) % 61; turn > 0; turn--) await Promise.resolve();
          const outcome = await outcomeOf(begin());
          assert.ok(fair[what].includes(outcome), `${what}: ${outcome}`);
          seen.add(`${what} ${outcome}`);
        });
        await Promise.all(started);
        await assertNoneDangles(nodes[0], { target, held, id, onDelete });
      }
      // Neither side always comes first. On disk it is the disk that says.
      const met =
        kind === 'memory'
          ? [
              'create done',
              'remove done',
              onDelete === 'restrict' ? 'remove dangling_reference' : 'create validation_failed',
            ]
          : [];
      for (const outcome of met) assert.ok(seen.has(outcome), [...seen].join());
      const { actual, expected } = await derived(bench, held);
      assert.deepEqual(actual, expected);
    });

function nodeOf(nodes: readonly [Node, Node], index: number): Node {
  return nodes[index % 2 === 0 ? 0 : 1];
}

interface Round {
  readonly target: RecordCall;
  readonly held: RecordCall;
  readonly id: string;
  readonly onDelete: OnDelete;
}

async function assertNoneDangles(node: Node, { target, held, id, onDelete }: Round): Promise<void> {
  const referring = await listAll(node, held, { ref: id });
  const isThere = (await node.runtime.get(target, id)) !== undefined;
  if (!isThere) assert.deepEqual(referring, []);
  // A refused step was refused for a reason that still holds.
  if (isThere) assert.ok(onDelete === 'restrict' && referring.length > 0);
}

for (const onDelete of modes)
  test(`a node that does not know yet that its records are referred to asks again before it removes one (${onDelete})`, async (context) => {
    const bench = await openBench(context);
    const [one, stale] = [bench.node(), bench.node()];
    await one.admin.define('acme', { entityName: 'target' });
    const oldCall = await stale.call('target');
    // The stale node has removed before, so it knows the fence as it stood.
    await stale.runtime.remove(oldCall, (await stale.runtime.create(oldCall, {})).data);
    const { id } = (await stale.runtime.create(oldCall, {})).data;
    await one.admin.define('acme', holder(onDelete));
    const held = await one.call('holder');
    const made = (await one.runtime.create(held, { ref: id })).data;
    assert.equal(
      await outcomeOf(stale.runtime.remove(oldCall, { id })),
      onDelete === 'restrict' ? 'dangling_reference' : 'done',
    );
    const left = (await listAll(one, held)).map((data) => [data.id, data.ref]);
    const expected = { restrict: [[made.id, id]], cascade: [], setnull: [[made.id, undefined]] };
    assert.deepEqual(left, expected[onDelete]);
    const { actual, expected: derivable } = await derived(bench, held);
    assert.deepEqual(actual, derivable);
  });

test('a node that does not know yet that a record points to another one asks again before it removes that', async (context) => {
  const bench = await openBench(context);
  const [one, stale] = [bench.node(), bench.node()];
  await one.admin.define('acme', { entityName: 'target' });
  const oldCall = await stale.call('target');
  const { id } = (await stale.runtime.create(oldCall, {})).data;
  await one.admin.define('acme', holder('restrict'));
  const held = await one.call('holder');
  const made = (await one.runtime.create(held, {})).data;
  await one.runtime.update(held, { id: made.id, body: { ref: id } });
  assert.equal(await outcomeOf(stale.runtime.remove(oldCall, { id })), 'dangling_reference');
});

test('a node that knows another rule for the references to a record removes it by the new one', async (context) => {
  const bench = await openBench(context);
  const { nodes, target, held } = await twoNodes(bench, 'restrict');
  const [one, stale] = nodes;
  const { id } = (await one.runtime.create(target, {})).data;
  await one.admin.change('acme', { api: 'create-holder', body: { UpdateParams: holder('cascade').UpdateParams } });
  await one.runtime.create(await one.call('holder'), { ref: id });
  assert.equal(await outcomeOf(stale.runtime.remove(target, { id })), 'done');
  assert.deepEqual(await listAll(one, held), []);
});

for (const index of [true, false])
  test(`a node that does not know yet what an older field with ${index ? 'an' : 'no'} index refers to asks again as soon as the change is worked in`, async (context) => {
    const bench = await openBench(context);
    await bench.found(bench.workspace);
    const [one, stale] = [bench.node(), bench.node()];
    await one.admin.define('acme', { entityName: 'target' });
    const field = { name: 'ref', colType: 'guid', index };
    await one.admin.define('acme', { entityName: 'holder', UpdateParams: [field] });
    const target = await stale.call('target');
    const { id } = (await stale.runtime.create(target, {})).data;
    await one.runtime.create(await one.call('holder'), { ref: id });
    const body = { UpdateParams: [{ ...field, lookup: { entity: 'target' } }] };
    await one.admin.change('acme', { api: 'create-holder', body });
    await workDue(bench, one);
    assert.equal(await outcomeOf(stale.runtime.remove(target, { id })), 'dangling_reference');
  });

/** Does the maintenance that is due, as a background job would. */
async function workDue(bench: RecordBench, { configs }: Node): Promise<void> {
  const { store, maintenance } = bench.opened;
  const due = await maintenance.due('work', bench.clock.now(), 100);
  assert.ok(due.length > 0);
  for (const { item } of due)
    await maintainEntity.run({ store, clock: bench.clock, configs }, JSON.parse(item.value), async () => undefined);
}

test('an id that names no record, another entity’s record or one of another workspace is refused alike', async (context) => {
  const bench = await openBench(context);
  const { nodes, target, held } = await twoNodes(bench, 'restrict');
  const { runtime } = nodes[0];
  const foreign = await runtime.create({ ...target, workspace: bench.workspaceOf('other') }, {});
  const ofHolder = await runtime.create(held, {});
  for (const ref of [absentId, foreign.data.id, ofHolder.data.id]) {
    const error: unknown = await runtime.create(held, { ref }).then(
      () => assert.fail('taken'),
      (refusal: unknown) => refusal,
    );
    const message = `field \`ref\`: there is no \`target\` with the id \`${ref}\` in this workspace`;
    assert.deepEqual((error as { details: unknown }).details, {
      errors: [{ pointer: '/ref', code: 'unknown_reference', message }],
    });
    assert.equal(await outcomeOf(runtime.update(held, { id: ofHolder.data.id, body: { ref } })), 'validation_failed');
  }
  assert.deepEqual(
    (await listAll(nodes[0], held)).map(({ ref }) => ref),
    [undefined],
  );
});
