/** A unique value has one record, however many nodes want it at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTask } from 'node:timers/promises';
import { roundsOn, storeKinds } from '../../store/testing/open-test-store.ts';
import { stopTime } from '../../testing/held-time.ts';
import { derived, listAll, type Node, openBench, outcomeOf, type RecordBench } from '../../testing/record-bench.ts';
import type { RecordCall } from '../writing/write-loop.ts';

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

const definition = {
  entityName: 'account',
  UpdateParams: [{ name: 'email' }, { name: 'region' }, { name: 'no', colType: 'autoincrement' }],
  UniqueIndexes: [
    { indexName: 'by_email', fields: ['email'], ignoreCase: true },
    { indexName: 'by_no', fields: ['no'] },
    { indexName: 'by_both', fields: ['region', 'email'] },
  ],
};

async function nodesOf(bench: RecordBench): Promise<{ readonly nodes: readonly Node[]; readonly call: RecordCall }> {
  const nodes = range(4).map(() => bench.node());
  const [first] = nodes;
  assert.ok(first !== undefined);
  await first.admin.define('acme', definition);
  for (const node of nodes) await node.configs.refresh('acme');
  return { nodes, call: await first.call('account') };
}

function pick<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  assert.ok(item !== undefined);
  return item;
}

/** Begins work a few turns later, others in each round, so that over the rounds writes meet at every point of their way. */
async function later<T>(turns: number, begin: () => Promise<T>): Promise<T> {
  for (let turn = 1; turn <= turns; turn++) await (turn % 8 === 0 ? nextTask() : undefined);
  return begin();
}

async function assertDerived(bench: RecordBench, call: RecordCall): Promise<void> {
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
}

for (const kind of storeKinds) {
  const rounds = roundsOn(kind, 40);

  test(`D08: of 32 creates of one value on four nodes exactly one wins (${kind})`, async (context) => {
    stopTime(context);
    const bench = await openBench(context, kind);
    const { nodes, call } = await nodesOf(bench);
    for (const round of range(rounds)) {
      const create = (index: number) => {
        const email = index % 3 === 0 ? `R${round}@X` : `r${round}@x`;
        return later((round * index) % 29, () => pick(nodes, index).runtime.create(call, { email, region: 'eu' }));
      };
      const outcomes = await Promise.all(range(32).map((index) => outcomeOf(create(index))));
      assert.deepEqual(outcomes.toSorted(), ['done', ...range(31).map(() => 'unique_violation')]);
    }
    assert.equal((await listAll(pick(nodes, 1), call)).length, rounds);
    await assertDerived(bench, call);
  });

  test(`D09: a value that moves from record to record is never had by two, and none is lost (${kind})`, async (context) => {
    stopTime(context);
    const bench = await openBench(context, kind);
    const { nodes, call } = await nodesOf(bench);
    const values = range(5).map((index) => `v${index}`);
    const records = await Promise.all(values.map((email) => pick(nodes, 0).runtime.create(call, { email })));
    const seen = new Set<string>();
    for (const round of range(rounds)) {
      const moves = range(12).map(async (index) => {
        const { id } = pick(records, index).data;
        const email = pick([...values, 'spare', null], round * 5 + index * 3);
        const { runtime } = pick(nodes, index + round);
        const outcome = await outcomeOf(
          later((round * (index + 2)) % 31, () => runtime.update(call, { id, body: { email } })),
        );
        seen.add(outcome);
      });
      await Promise.all(moves);
      const held = (await listAll(pick(nodes, 0), call)).flatMap(({ email }) => (email === undefined ? [] : [email]));
      assert.equal(new Set(held).size, held.length, held.join());
    }
    assert.deepEqual([...seen].toSorted(), ['done', 'unique_violation']);
    await assertDerived(bench, call);
  });

  test(`D09: a value that is given up is taken by one of those who want it, or was not given up yet (${kind})`, async (context) => {
    stopTime(context);
    const bench = await openBench(context, kind);
    const { nodes, call } = await nodesOf(bench);
    const { runtime } = pick(nodes, 0);
    const tookOver = new Set<number>();
    for (const round of range(2 * rounds)) {
      const [from, to] = [`from${round}`, `to${round}`];
      const { id } = (await runtime.create(call, { email: from })).data;
      const give = async () =>
        round % 2 === 0 ? runtime.update(call, { id, body: { email: to } }) : runtime.remove(call, { id });
      const wanting = range(6).map((index) =>
        outcomeOf(later((round * (index + 1)) % 37, () => pick(nodes, index).runtime.create(call, { email: from }))),
      );
      assert.equal(await outcomeOf(later((round % 5) * 12, give)), 'done');
      const taken = (await Promise.all(wanting)).filter((outcome) => outcome === 'done').length;
      assert.ok(taken <= 1);
      tookOver.add(taken);
      const again = await outcomeOf(runtime.create(call, { email: from }));
      assert.equal(again, taken === 0 ? 'done' : 'unique_violation');
    }
    // On disk it is the disk that says who comes first.
    if (kind === 'memory') assert.deepEqual([...tookOver].toSorted(), [0, 1]);
    await assertDerived(bench, call);
  });

  test(`32 writers that get a number each get 32 numbers, held unique (${kind})`, async (context) => {
    const bench = await openBench(context, kind);
    const { nodes, call } = await nodesOf(bench);
    for (const _ of range(4))
      await Promise.all(range(32).map((index) => pick(nodes, index).runtime.create(call, { region: `r${index}` })));
    const numbers = (await listAll(pick(nodes, 2), call)).map(({ no }) => Number(no));
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      range(128).map((index) => index + 1),
    );
    await assertDerived(bench, call);
  });
}

test('two records that swap their values one after the other are refused, in one commit they are not', async (context) => {
  const bench = await openBench(context);
  const { nodes, call } = await nodesOf(bench);
  const { runtime } = pick(nodes, 0);
  const [left, right] = [await runtime.create(call, { email: 'l' }), await runtime.create(call, { email: 'r' })];
  const swap = [
    { action: 'update', call, input: { id: left.data.id, body: { email: 'r' } } },
    { action: 'update', call, input: { id: right.data.id, body: { email: 'l' } } },
  ] as const;
  assert.equal(await outcomeOf(runtime.write(swap.slice(0, 1))), 'unique_violation');
  assert.equal(await outcomeOf(runtime.write(swap)), 'done');
  assert.deepEqual(
    (await listAll(pick(nodes, 1), call)).map(({ email }) => email),
    ['l', 'r'],
  );
  await assertDerived(bench, call);
});

test('a value is compared as it is kept: numbers and times by their value, texts exactly', async (context) => {
  const bench = await openBench(context);
  const { runtime, admin, call } = bench.node();
  const UpdateParams = [
    { name: 'amount', colType: 'number' },
    { name: 'at', colType: 'datetime' },
    { name: 'text' },
    { name: 'id2', colType: 'guid' },
    { name: 'flag', colType: 'boolean' },
  ];
  const UniqueIndexes = UpdateParams.map(({ name }) => ({ indexName: name, fields: [name] }));
  await admin.define('acme', { entityName: 'mixed', UpdateParams, UniqueIndexes });
  const mixed = await call('mixed');
  const create = (body: object) => outcomeOf(runtime.create(mixed, body));
  const same: readonly (readonly [object, object])[] = [
    [{ amount: 0 }, { amount: -0 }],
    [{ amount: 0.1 }, { amount: 0.1 }],
    [{ at: '2026-01-01T00:00:00Z' }, { at: '2026-01-01T01:00:00.000+01:00' }],
    [{ id2: 'ABCDEF00-0000-7000-8000-000000000000' }, { id2: 'abcdef00-0000-7000-8000-000000000000' }],
    [{ flag: false }, { flag: false }],
    [{ text: '' }, { text: '' }],
  ];
  for (const [one, other] of same)
    assert.deepEqual([await create(one), await create(other)], ['done', 'unique_violation']);
  // The same characters in two spellings are two texts, as they are to a reader of the store.
  for (const text of ['é', 'e\u0301', 'É', 'a', 'A', 'a ', '1', '01'])
    assert.equal(await create({ text }), 'done', text);
  await assertDerived(bench, mixed);
});
