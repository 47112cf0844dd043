/** Releases come and go while records are written, by nodes that know of them late, and while jobs die. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import { Steps } from '../records/testing/stepped-store.ts';
import { Conflict, type Store } from '../store/port.ts';
import { roundsOn } from '../store/testing/open-test-store.ts';
import { listAll, type Node, verifyBench } from '../testing/record-bench.ts';
import { command, type PromotionNode, TwoSpaces } from './testing/proof/two-spaces.ts';

/** The entities of production from one release on. */
interface Shape {
  readonly order:
    | { readonly a: boolean; readonly unique: boolean; readonly search: boolean; readonly kept: boolean }
    | 'gone';
  /** The outcome of lines whose order is removed. */
  readonly line: 'restrict' | 'setnull' | 'cascade' | 'plain' | 'gone';
}

const full: Shape = { order: { a: true, unique: true, search: true, kept: true }, line: 'restrict' };

const shapes: fc.Arbitrary<Shape> = fc
  .record<Shape>({
    order: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ a: fc.boolean(), unique: fc.boolean(), search: fc.boolean(), kept: fc.boolean() }),
      },
      { weight: 1, arbitrary: fc.constant('gone' as const) },
    ),
    line: fc.constantFrom('restrict', 'setnull', 'cascade', 'plain', 'gone'),
  })
  .map((shape) => (shape.order === 'gone' && shape.line !== 'gone' ? { ...shape, line: 'plain' } : shape));

type Move =
  | { readonly does: 'release'; readonly shape: Shape }
  | { readonly does: 'rollback'; readonly version: number }
  | { readonly does: 'purge'; readonly name: string };

const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('release' as const), shape: shapes }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('rollback' as const), version: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('purge' as const), name: fc.constantFrom('order', 'line') }) },
);

interface Write {
  readonly pause: number;
  readonly does: 'create' | 'update' | 'remove';
  readonly entity: 'order' | 'line';
  readonly which: number;
  readonly a: string;
  readonly u: string;
}

const writes: fc.Arbitrary<Write> = fc.record({
  pause: fc.nat({ max: 12 }),
  does: fc.constantFrom('create', 'create', 'update', 'update', 'remove'),
  entity: fc.constantFrom('order', 'line'),
  which: fc.nat({ max: 5 }),
  a: fc.constantFrom('x', 'y'),
  u: fc.constantFrom('p', 'q', 'r', 's'),
});

const runs = fc.record({
  moves: fc.array(moves, { minLength: 1, maxLength: 6 }),
  writers: fc.array(fc.array(writes, { maxLength: 15 }), { minLength: 2, maxLength: 2 }),
  ticks: fc.array(fc.constantFrom(100, 600, 1100, 2100), { maxLength: 8 }),
  kills: fc.array(fc.boolean(), { maxLength: 10 }),
  turns: fc.array(fc.nat({ max: 20 }), { minLength: 50, maxLength: 300 }),
});

class Killed extends Error {}

interface Stage {
  readonly spaces: TwoSpaces;
  readonly turns: Steps;
  /** Production's store, for those who take turns. */
  readonly store: Store;
  readonly ids: { readonly entity: string; readonly id: string }[];
  /** The first values of orders, by id, in a field that only some releases know and that no other write names. */
  readonly kept: Map<string, string>;
}

test('whatever is released and gone back from while records are written, they come to be right, including those that are not served', async () => {
  const property = fc.asyncProperty(runs, async (run) => {
    const spaces = await TwoSpaces.inMemory();
    const bench = spaces.bench.prod;
    await bench.found(bench.workspace);
    await release(spaces, spaces.node(), full);
    const turns = new Steps();
    const stage: Stage = { spaces, turns, store: turns.store(bench.opened.store), ids: [], kept: new Map() };
    const kills = [...run.kills];
    const actors = [
      ...run.writers.map((all) => writeAll(stage, all)),
      moveAll(stage, run.moves),
      passTime(stage, run.ticks),
    ];
    await turns.play(run.turns, actors, (isBusy) => [0, 1].map(() => workOff(stage, kills, isBusy)));
    await settle(spaces);
    await assertRight(spaces);
    await tolerant(spaces.node().promotion.rollback(command, { version: 1 }));
    await settle(spaces);
    await assertRight(spaces);
    await assertKept(spaces, stage.kept);
    assert.deepEqual(await spaces.node().promotion.retired('acme', 'entity'), []);
  });
  await fc.assert(property, { numRuns: roundsOn('memory', 100) });
});

async function tolerant(work: Promise<unknown>): Promise<void> {
  const fair = [
    'validation_failed',
    'unknown_field',
    'unique_violation',
    'not_found',
    'conflict',
    'dangling_reference',
  ];
  await work.catch((error: unknown) => {
    if (!(error instanceof Problem) || !fair.includes(error.code)) throw error;
  });
}

async function release(spaces: TwoSpaces, { promotion }: PromotionNode, { order, line }: Shape): Promise<void> {
  const ref = { name: 'ref', colType: 'guid', index: true };
  const held = line === 'plain' || line === 'gone' ? ref : { ...ref, lookup: { entity: 'order', onDelete: line } };
  // Lines let go of orders before these go, and orders are there before lines hold them.
  if (order !== 'gone') await spaces.editEntity('order', orderOf(order));
  await tolerant(spaces.editEntity('line', line === 'gone' ? undefined : { UpdateParams: [held] }));
  if (order === 'gone') await tolerant(spaces.editEntity('order', undefined));
  await tolerant(promotion.publish(command, { all: true }, { showsRecords: true }));
  await tolerant(promotion.activate(command, { force: true }));
}

function orderOf({ a, unique, search, kept }: Exclude<Shape['order'], 'gone'>): object {
  return {
    UpdateParams: [
      { name: 'a', index: a },
      { name: 'u' },
      { name: 'text', search },
      ...(kept ? [{ name: 'kept', index: a }] : []),
    ],
    UniqueIndexes: unique ? [{ indexName: 'one', fields: ['u'] }] : [],
    indexes: search ? [{ fields: ['a', '-u'] }] : [],
    aggregates: search ? [{ name: 'by_a', group: ['a', 'u'], measures: ['count'] }] : [],
  };
}

async function moveAll({ spaces, store }: Stage, all: readonly Move[]): Promise<void> {
  const node = spaces.node({ test: spaces.stores.test, prod: store });
  for (const move of all) {
    if (move.does === 'release') await release(spaces, node, move.shape);
    else if (move.does === 'rollback') await tolerant(node.promotion.rollback(command, { version: move.version }));
    else await tolerant(node.promotion.removeRetired(command, { kind: 'entity', name: move.name }));
  }
}

async function writeAll({ spaces, turns, store, ...known }: Stage, all: readonly Write[]): Promise<void> {
  const node = spaces.bench.prod.node(store);
  for (const one of all) {
    for (let turn = 0; turn < one.pause; turn++) await turns.take();
    await tolerant(write(node, one, known));
  }
}

async function write({ runtime, call }: Node, one: Write, { ids, kept }: Pick<Stage, 'ids' | 'kept'>): Promise<void> {
  const chosen = (entity: string) => ids.filter((known) => known.entity === entity).at(-1 - one.which)?.id;
  const order = chosen('order');
  const body =
    one.entity === 'line' ? { ref: order ?? null } : { a: one.a, u: one.u, text: one.a === 'x' ? 'red' : 'green' };
  const place = await call(one.entity).catch(ignoreUnknown);
  if (place === undefined) return;
  const id = chosen(one.entity);
  if (one.does === 'create') {
    const isKnown = place.entity.fields.has('kept');
    const { data } = await runtime.create(place, isKnown ? { ...body, kept: `${one.a}${one.u}` } : body);
    ids.push({ entity: one.entity, id: data.id });
    if (isKnown) kept.set(data.id, `${one.a}${one.u}`);
  } else if (id === undefined) return;
  else if (one.does === 'update') await runtime.update(place, { id, body });
  else await runtime.remove(place, { id });
}

/** A request for what is not there comes to no record. */
function ignoreUnknown(error: unknown): undefined {
  assert.match(String(error), /there is no entity/);
}

async function passTime({ spaces, turns }: Stage, ticks: readonly number[]): Promise<void> {
  for (const tick of ticks) {
    for (let wait = 0; wait < 6; wait++) await turns.take();
    spaces.clock.advance(tick);
  }
}

/** A runner of jobs that may be killed at any step, and that does not mind another one at the same work. */
async function workOff({ spaces, turns, store }: Stage, kills: boolean[], isBusy: () => boolean): Promise<void> {
  const bench = spaces.bench.prod;
  const { configs } = bench.node(store);
  const renewLease = async (): Promise<void> => {
    if (kills.shift() === true) throw new Killed();
  };
  while (isBusy()) {
    await turns.take();
    const [due] = await bench.opened.maintenance.due('work', bench.clock.now(), 1);
    if (due === undefined) continue;
    try {
      await bench.work({ store, configs, recordsPerStep: 2 }, due, renewLease);
    } catch (error) {
      const isFair = error instanceof Killed || error instanceof Conflict;
      if (!isFair && !(error instanceof Problem && error.code === 'conflict')) throw error;
    }
  }
}

async function settle({ clock, bench }: TwoSpaces): Promise<void> {
  for (let round = 0; round < 3; round++) {
    clock.advance(6500);
    await bench.prod.workOff();
  }
}

/** Nothing has drifted, nothing is left to do, and lists by an index are lists without it. */
async function assertRight({ bench: { prod } }: TwoSpaces): Promise<void> {
  assert.deepEqual((await verifyBench(prod)).drift, []);
  assert.deepEqual(await prod.opened.maintenance.due('work', prod.clock.now(), 10), []);
  const node = prod.node();
  const set = await node.configs.current('acme');
  for (const name of set.entityNames)
    for (const { state } of set.active(name)?.state.indexes ?? []) assert.match(state, /^(ready|failed)$/);
  if (set.active('order') === undefined) return;
  const call = await node.call('order');
  if (call.entity.fields.get('a')?.definition.index !== true) return;
  const everything = await listAll(node, call);
  for (const a of ['x', 'y'])
    assert.deepEqual(
      await listAll(node, call, { a }),
      everything.filter((record) => record.a === a),
    );
}

/** Each order still has what it was made with, whatever releases it was written under since; others have nothing of it. */
async function assertKept({ bench: { prod } }: TwoSpaces, made: ReadonlyMap<string, string>): Promise<void> {
  const node = prod.node();
  const orders = await listAll(node, await node.call('order'));
  assert.deepEqual(
    orders.map(({ id, kept }) => [id, kept]),
    orders.map(({ id }) => [id, made.get(id)]),
  );
}
