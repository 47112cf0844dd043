/** What went wrong elsewhere where configuration was taken from one place to another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { everyCrossing } from '../entities/crossing.ts';
import { crashing } from '../store/failing-store.ts';
import { roundsOn } from '../store/store-for-tests.ts';
import { observe } from './proof/observe.ts';
import { assertSerial, isSame, seenBy, seenOf, starters } from './proof/race.ts';
import { send } from './proof/requests.ts';
import { assertTruthful } from './proof/truthful.ts';
import { asked, org, TwoSpaces } from './proof/two-spaces.ts';
import { after, type Request, type World } from './proof/world.ts';

const publishAll: Request = { does: 'publish', items: 'all' };
const activate: Request = { does: 'activate' };
const rollback: Request = { does: 'rollback', version: undefined };
const withdrawAll: Request = { does: 'withdraw', item: undefined };

function entity(...lookups: readonly string[]) {
  const fields = lookups.map((name) => ({ name: `to_${name}`, colType: 'guid', lookup: { entity: name } }));
  return { UpdateParams: [{ name: 'v', index: lookups.length === 0 }, ...fields] };
}

function block(name: string, ...calls: readonly string[]) {
  const go = { id: 'go', type: 'http', method: 'GET', url: 'https://x.example/' };
  const steps = calls.map((logicblock) => ({ id: `call_${logicblock}`, type: 'call', logicblock }));
  return { name, steps: [go, ...steps] };
}

/** Two releases that differ in each way, and a third that is staged. */
async function staged(): Promise<TwoSpaces> {
  const spaces = await TwoSpaces.inMemory();
  const frame = { kind: 'settings', name: 'house.frame' } as const;
  const l = { kind: 'logicblock', name: 'l' } as const;
  await spaces.editEntity('a', entity());
  await spaces.editEntity('b', entity('a'));
  await spaces.editItem(frame, { value: 1 });
  await act(spaces, publishAll, activate);
  await spaces.editEntity('b', undefined);
  await spaces.editEntity('c', entity('a'));
  await spaces.editItem(l, block('l'));
  await spaces.editItem(frame, { value: 2 });
  await act(spaces, publishAll, activate);
  await spaces.editEntity('b', entity('c'));
  await spaces.editEntity('a', { UpdateParams: [{ name: 'v' }, { name: 'w', search: true }] });
  await spaces.editItem(l, undefined);
  await spaces.editItem(frame, { value: 3 });
  await act(spaces, publishAll);
  return spaces;
}

async function act(spaces: TwoSpaces, ...all: readonly Request[]): Promise<void> {
  for (const request of all) assert.equal(await send(spaces, spaces.node(), request), 'done', JSON.stringify(request));
}

const all: Readonly<Record<string, Request>> = {
  publish: publishAll,
  'withdraw all': withdrawAll,
  activate,
  'roll back': rollback,
  'remove retired records': { does: 'purge', name: 'b' },
};

for (const [what, request] of Object.entries(all))
  test(`E01 whoever dies at a call of the store leaves the old set or the new one, and it can be asked for again: ${what}`, async () => {
    const origin = await staged();
    await origin.editItem({ kind: 'settings', name: 'house.frame' }, { value: 4 });
    const before = await observe(origin);
    const { world: done } = after(before, request);
    const seen = new Set<string>();
    for (const when of ['before', 'after'] as const)
      for (let calls = 0, isDone = false; !isDone; calls++) {
        const spaces = await origin.copy();
        const { test: own, prod } = spaces.stores;
        isDone =
          (await send(spaces, spaces.node({ test: own, prod: crashing(prod, calls, when) }), request)) === 'done';
        const left = await observe(spaces);
        if (!isSame(left, before)) assert.deepEqual(left, done, `dead ${when} call ${calls}`);
        await assertTruthful(spaces, left);
        const again = after(left, request);
        assert.equal(await send(spaces, spaces.node(), request), again.outcome);
        assert.deepEqual(await observe(spaces), again.world);
        seen.add(isSame(left, before) ? 'old' : 'new');
      }
    assert.deepEqual([...seen].sort(), ['new', 'old']);
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
  await assert.rejects(spaces.node().promotion.activate(asked, {}), (error: unknown) => {
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

test('E05 of twenty who activate at once one does, and the others are told that nothing is staged', async () => {
  const spaces = await staged();
  const world = await observe(spaces);
  const sent = await Promise.all(Array.from({ length: 20 }, () => send(spaces, spaces.node(), activate)));
  assert.deepEqual(sent.toSorted(), [...Array<string>(19).fill('conflict'), 'done']);
  assert.deepEqual(await observe(spaces), after(world, activate).world);
});

const publishSome: Request = { does: 'publish', items: [{ kind: 'settings', name: 'house.frame' }] };
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
    const origin = await staged();
    const world = await observe(origin);
    let plays = 0;
    await everyCrossing('edges', async (crossing) => {
      plays += 1;
      const spaces = await origin.copy();
      const race = { spaces, requests: [one, other], prod: crossing.stores(spaces.stores.prod) } as const;
      const outcomes = await crossing.run(...starters(race));
      await assertSerial(race, world, outcomes);
    });
    assert.ok(plays > 8, 'both took their calls');
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
    const world = await observe(spaces);
    const expected = after(world, activate);
    seen.add(expected.outcome);
    assert.equal(await send(spaces, spaces.node(), activate), expected.outcome);
    assert.deepEqual(await observe(spaces), expected.world);
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
  const world = await observe(spaces);
  const isThere = (name: string): boolean => [world.test, world.prod].some((one) => one.has(`logicblock#${name}`));
  const items = some.filter(isThere).map(item);
  if (items.length === 0) return;
  const expected = after(world, { does: 'publish', items });
  if (expected.outcome !== 'done') return;
  const { staged: told, added_dependencies } = await spaces.node().promotion.publish(asked, { items });
  assert.deepEqual(await observe(spaces), expected.world);
  const added = told.filter(({ name }) => !some.includes(name)).map(({ name }) => name);
  assert.deepEqual(added_dependencies.map(({ name }) => name).toSorted(), added.toSorted());
}

test('E10 whoever holds a configuration sees that one, whatever becomes live meanwhile', async () => {
  const spaces = await staged();
  const store = spaces.stores.prod;
  const { configs } = spaces.node();
  const held = [];
  const flips: readonly Request[] = [activate, rollback, rollback, { does: 'rollback', version: 3 }];
  for (const flip of [undefined, ...flips]) {
    if (flip !== undefined) await act(spaces, flip);
    const world: World = await observe(spaces);
    held.push({ set: await configs.prod.refresh(org), expected: seenOf(world.prod) });
    for (const { set, expected } of held) assert.deepEqual(await seenBy(store, set), expected);
  }
});

test('E10 whoever reads while something becomes live sees all of it or nothing', async () => {
  const origin = await staged();
  const world = await observe(origin);
  const allowed = [world, after(world, activate).world].map(({ prod }) => seenOf(prod));
  const counts = [0, 0];
  await everyCrossing('edges', async (crossing) => {
    const spaces = await origin.copy();
    const [reading, switching] = crossing.stores(spaces.stores.prod);
    const { configs } = spaces.node({ ...spaces.stores, prod: reading });
    const node = spaces.node({ ...spaces.stores, prod: switching });
    const [seen] = await crossing.run(
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
