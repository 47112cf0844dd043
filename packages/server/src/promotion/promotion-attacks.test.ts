/** Failures of other systems in taking configuration from one place to another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { everyInterleaving } from '../records/testing/interleaving.ts';
import { roundsOn } from '../store/testing/open-test-store.ts';
import {
  act,
  activate,
  block,
  blocksStaged,
  crossTwo,
  dieAtEachCall,
  publishAll,
  publishCaller,
  publishSome,
  rollback,
  staged,
  withdrawAll,
} from './testing/proof/attacks.ts';
import { after, type ModelState, type Request } from './testing/proof/model-state.ts';
import { observe } from './testing/proof/observe.ts';
import { isSame, seenBy, seenOf } from './testing/proof/race.ts';
import { send } from './testing/proof/requests.ts';
import { command, org, TwoSpaces } from './testing/proof/two-spaces.ts';

const all: Readonly<Record<string, Request>> = {
  publish: publishAll,
  'withdraw all': withdrawAll,
  activate,
  'roll back': rollback,
  'remove retired records': { does: 'purge', name: 'b' },
};

for (const [what, request] of Object.entries(all))
  test(`E01 a crash at a call of the store leaves the old set or the new one, and the request can be repeated: ${what}`, async () => {
    await dieAtEachCall(await staged(), request);
  });

test('E02 where one of five items is not valid, nothing of them becomes live', async () => {
  const spaces = await TwoSpaces.inMemory();
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const content = name === 'c' ? { name, steps: [] } : block(name);
    await spaces.editItem({ kind: 'logicblock', name }, content);
  }
  await act(spaces, publishAll);
  const before = await observe(spaces);
  assert.equal(before.staged.size, 5);
  await assert.rejects(spaces.node().promotion.activate(command, {}), (error: unknown) => {
    assert.match(String(error), /nothing was activated: .*`steps`/);
    return true;
  });
  assert.deepEqual(await observe(spaces), before);
});

test('E04 what is activated twice is activated once, and then there is nothing to activate and nothing that differs', async () => {
  const spaces = await staged();
  await act(spaces, activate);
  const everything = () => spaces.bench.prod.opened.maintenance.scan(`org#${org}`, undefined, 100_000);
  const before = await everything();
  assert.deepEqual(await spaces.node().promotion.diff(org), []);
  assert.equal(await send(spaces, spaces.node(), activate), 'conflict');
  assert.equal(await send(spaces, spaces.node(), publishAll), 'conflict');
  assert.deepEqual(await everything(), before);
});

test('E05 of twenty who activate at once one does, and the others learn that nothing is staged', async () => {
  const spaces = await staged();
  const model = await observe(spaces);
  const sent = await Promise.all(Array.from({ length: 20 }, () => send(spaces, spaces.node(), activate)));
  assert.deepEqual(sent.toSorted(), [...Array<string>(19).fill('conflict'), 'done']);
  assert.deepEqual(await observe(spaces), after(model, activate).model);
});

const pairs: readonly (readonly [Request, Request])[] = [
  [activate, activate],
  [activate, rollback],
  [rollback, activate],
  [rollback, rollback],
  [publishAll, activate],
  [publishSome, activate],
  [activate, publishAll],
  [publishAll, publishSome],
  [publishAll, withdrawAll],
  [withdrawAll, activate],
  [publishAll, rollback],
  [rollback, { does: 'purge', name: 'b' }],
];

for (const [one, other] of pairs)
  test(`E05 two at once come to what they come to one after the other: ${named(one)} and ${named(other)}`, async () => {
    await crossTwo(await staged(), [one, other]);
  });

test('E05 who publishes what needs something that is withdrawn at once publishes that with it, or is too early', async () => {
  await crossTwo(await blocksStaged(), [publishCaller, withdrawAll]);
});

function named(request: Request): string {
  return request.does === 'publish' && request.items !== 'all' ? 'publish some' : request.does;
}

const names = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];
const item = (name: string) => ({ kind: 'logicblock', name }) as const;
const graphs = fc.tuple(
  ...names.map(() => fc.option(fc.subarray(names, { maxLength: 3 }), { nil: undefined, freq: 4 })),
);

test('E07 what is published is what was named and exactly what it cannot do without, and it becomes live only where nothing is missing', async () => {
  const chosen = fc.subarray(names, { minLength: 1, maxLength: 3 });
  const seen = new Set<string>();
  const property = fc.asyncProperty(graphs, graphs, chosen, chosen, async (first, second, some, others) => {
    const spaces = await TwoSpaces.inMemory();
    await draw(spaces, first);
    await publishAnd(spaces, some);
    await send(spaces, spaces.node(), activate);
    await draw(spaces, second);
    await publishAnd(spaces, others);
    const model = await observe(spaces);
    const expected = after(model, activate);
    seen.add(expected.outcome);
    assert.equal(await send(spaces, spaces.node(), activate), expected.outcome);
    assert.deepEqual(await observe(spaces), expected.model);
  });
  await fc.assert(property, { numRuns: roundsOn('memory', 60) });
  assert.ok(seen.has('done') && seen.has('dangling_reference'), [...seen].join());
});

async function draw(spaces: TwoSpaces, graph: readonly (readonly string[] | undefined)[]): Promise<void> {
  for (const [index, calls] of graph.entries()) {
    const name = names[index] ?? '';
    await spaces.editItem(item(name), calls === undefined ? undefined : block(name, ...calls));
  }
}

async function publishAnd(spaces: TwoSpaces, some: readonly string[]): Promise<void> {
  const model = await observe(spaces);
  const isThere = (name: string): boolean => [model.test, model.prod].some((one) => one.has(`logicblock#${name}`));
  const items = some.filter(isThere).map(item);
  if (items.length === 0) return;
  const expected = after(model, { does: 'publish', items });
  if (expected.outcome !== 'done') return;
  const { staged: delivered, added_dependencies } = await spaces
    .node()
    .promotion.publish(command, { items }, { showsRecords: true });
  assert.deepEqual(await observe(spaces), expected.model);
  const added = delivered.filter(({ name }) => !some.includes(name)).map(({ name }) => name);
  assert.deepEqual(added_dependencies.map(({ name }) => name).toSorted(), added.toSorted());
}

test('E10 a reader of a configuration sees only that one, whatever becomes live meanwhile', async () => {
  const spaces = await staged();
  const store = spaces.stores.prod;
  const { configs } = spaces.node();
  const held = [];
  const flips: readonly Request[] = [activate, rollback, rollback, { does: 'rollback', version: 3 }];
  for (const flip of [undefined, ...flips]) {
    if (flip !== undefined) await act(spaces, flip);
    const model: ModelState = await observe(spaces);
    held.push({ set: await configs.prod.refresh(org), expected: seenOf(model.prod) });
    for (const { set, expected } of held) assert.deepEqual(await seenBy(store, set), expected);
  }
});

test('E10 a read during an activation sees all of it or nothing', async () => {
  const origin = await staged();
  const model = await observe(origin);
  const allowed = [model, after(model, activate).model].map(({ prod }) => seenOf(prod));
  const counts = [0, 0];
  await everyInterleaving('edges', async (interleaving) => {
    const spaces = await origin.copy();
    const [reading, switching] = interleaving.stores(spaces.stores.prod);
    const { configs } = spaces.node({ ...spaces.stores, prod: reading });
    const node = spaces.node({ ...spaces.stores, prod: switching });
    const [seen] = await interleaving.run(
      async () => seenBy(reading, await configs.prod.refresh(org)),
      () => send(spaces, node, activate),
    );
    const which = allowed.findIndex((one) => isSame(one, seen));
    assert.notEqual(which, -1, [...seen].join());
    counts[which] = (counts[which] ?? 0) + 1;
  });
  assert.ok(
    counts.every((count) => count > 0),
    'some see the one, and some the other',
  );
});
