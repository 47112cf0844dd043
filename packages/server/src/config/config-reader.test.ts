import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { RecordBench, SteppedClock } from '../testing/record-bench.ts';
import { changeConfig } from './change-config.ts';
import { createConfigReader } from './config-reader.ts';
import { activeItems } from './org-keys.ts';

/** An org that another node than the one under test changes. */
async function changingOrg() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  const { admin } = bench.node();
  const define = (entityName: string) => admin.define('acme', { entityName, UpdateParams: [{ name: 'title' }] });
  return { bench, clock, admin, define };
}

/** A store of which every read waits until it is let go on, and can be made to fail. */
function gated(store: Store) {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  let failure: Error | undefined;
  let reads = 0;
  const pass = async <T>(read: () => Promise<T>): Promise<T> => {
    reads += 1;
    const answer = await read();
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    if (failure !== undefined) throw failure;
    return answer;
  };
  const wrapped: Store = {
    ...store,
    scope: (name) => {
      const scope = store.scope(name);
      return {
        ...scope,
        get: (keys) => pass(() => scope.get(keys)),
        range: (pk, read) => pass(() => scope.range(pk, read)),
      };
    },
  };
  return {
    store: wrapped,
    reads: () => reads,
    hold: () => {
      isHeld = true;
    },
    holdNoMore: () => {
      isHeld = false;
    },
    letGo: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a config set says the same for as long as it is held, whatever changes', async () => {
  const { bench, admin, define } = await changingOrg();
  const { version } = await define('order');
  const reader = createConfigReader({ store: bench.opened.store, clock: bench.clock });
  const held = await reader.current('acme');
  await define('invoice');
  await admin.remove('acme', 'order');
  const fresh = await reader.refresh('acme');
  assert.deepEqual(
    [held.entityNames, held.active('order')?.state.version, held.active('invoice')],
    [['order'], version, undefined],
  );
  assert.equal((await held.entity('order'))?.fields.has('title'), true);
  assert.equal(await held.entity('invoice'), undefined);
  assert.deepEqual(fresh.entityNames, ['invoice']);
  assert.equal(await fresh.entity('order'), undefined);
});

test('system entities are in every org, also in one that is not there', async () => {
  const { bench } = await changingOrg();
  const reader = createConfigReader({ store: bench.opened.store, clock: bench.clock });
  const set = await reader.current('nowhere');
  assert.deepEqual([set.entityNames, set.version], [[], 0]);
  assert.equal((await set.entity('aclpolicy'))?.name, 'aclpolicy');
  for (const name of ['constructor', '__proto__', 'toString', '']) assert.equal(await set.entity(name), undefined);
});

test('another node learns of a change: asked for after half a second, waited for after a whole one', async () => {
  const { bench, clock, define } = await changingOrg();
  const reader = createConfigReader({ store: bench.opened.store, clock });
  const namesNow = async () => (await reader.current('acme')).entityNames;
  assert.deepEqual(await namesNow(), []);
  await define('order');
  clock.advance(499);
  assert.deepEqual(await namesNow(), []);
  await settle();
  assert.deepEqual(await namesNow(), []);
  clock.advance(1);
  assert.deepEqual(await namesNow(), []);
  await settle();
  assert.deepEqual(await namesNow(), ['order']);
  await define('invoice');
  clock.advance(1000);
  assert.deepEqual(await namesNow(), ['invoice', 'order']);
});

test('a clock that was set back makes a config read again, not older for longer', async () => {
  const { bench, clock, define } = await changingOrg();
  const reader = createConfigReader({ store: bench.opened.store, clock });
  await reader.current('acme');
  await define('order');
  clock.advance(-3_600_000);
  assert.deepEqual((await reader.current('acme')).entityNames, ['order']);
});

test('a fault of the store meets the request that has to wait, and no other', async () => {
  const { bench, clock } = await changingOrg();
  const gate = gated(bench.opened.store);
  const reader = createConfigReader({ store: gate.store, clock });
  const set = await reader.current('acme');
  gate.fail(new Error('no disk'));
  clock.advance(600);
  assert.equal(await reader.current('acme'), set);
  await settle();
  clock.advance(400);
  await assert.rejects(async () => reader.current('acme'), /no disk/);
  gate.fail(undefined);
  assert.equal(await reader.current('acme'), set);
});

test('requests that have to wait at once read once', async () => {
  const { bench, clock, define } = await changingOrg();
  await define('order');
  const gate = gated(bench.opened.store);
  const reader = createConfigReader({ store: gate.store, clock });
  const sets = await Promise.all(Array.from({ length: 50 }, () => reader.current('acme')));
  assert.equal(new Set(sets).size, 1);
  assert.equal(gate.reads(), 4);
});

test('`refresh` returns the present state, also while an older read is under way, and that one undoes nothing', async () => {
  const { bench, clock, define } = await changingOrg();
  const gate = gated(bench.opened.store);
  const reader = createConfigReader({ store: gate.store, clock });
  await reader.current('acme');
  clock.advance(600);
  gate.hold();
  await reader.current('acme');
  await settle();
  gate.holdNoMore();
  await define('order');
  const refreshed = reader.refresh('acme');
  await settle();
  gate.letGo();
  assert.deepEqual((await refreshed).entityNames, ['order']);
  await settle();
  assert.deepEqual((await reader.current('acme')).entityNames, ['order']);
});

test('an entity is compiled once per version, and the caches forget what was not used for longest', async () => {
  const { bench, clock, define } = await changingOrg();
  await define('order');
  await define('invoice');
  const reader = createConfigReader({ store: bench.opened.store, clock, setsMax: 45, entitiesMax: 12 });
  const set = await reader.current('acme');
  const order = await set.entity('order');
  assert.equal(await set.entity('order'), order);
  await set.entity('invoice');
  assert.notEqual(await set.entity('order'), order);
  await reader.current('other');
  assert.notEqual(await reader.current('acme'), set);
});

test('what an entity was before a change does not stay in memory, and stays visible to its holders', async () => {
  const { bench, clock, admin, define } = await changingOrg();
  await define('order');
  await define('invoice');
  const reader = createConfigReader({ store: bench.opened.store, clock, entitiesMax: 40 });
  const first = await reader.current('acme');
  const [order, invoice] = [await first.entity('order'), await first.entity('invoice')];
  for (let turn = 0; turn < 5; turn++) {
    const Views = { short: { fields: [{ name: 'title', as: `t${turn}` }] } };
    await admin.change('acme', { api: 'get-order', body: { Views } });
    const next = await (await reader.refresh('acme')).entity('order');
    assert.notEqual(next, order);
    assert.equal((await first.entity('order'))?.name, 'order');
    assert.equal(await (await reader.refresh('acme')).entity('order'), next, 'the newest is kept');
  }
  assert.equal(await first.entity('invoice'), invoice, 'the others have not made room for it');
});

test('an entity that could not be loaded is loaded when it is asked for again', async () => {
  const { bench, clock, define } = await changingOrg();
  await define('order');
  const gate = gated(bench.opened.store);
  const reader = createConfigReader({ store: gate.store, clock });
  const set = await reader.current('acme');
  gate.fail(new Error('no disk'));
  await assert.rejects(async () => set.entity('order'), /no disk/);
  gate.fail(undefined);
  assert.equal((await set.entity('order'))?.name, 'order');
});

test('which events were changed is told after the commit, and nothing of other items', async () => {
  const { bench, clock } = await changingOrg();
  const { store } = bench.opened;
  const notified: string[][] = [];
  const configs = createConfigReader({
    ...{ store, clock },
    eventsChanged: async (orgCode, names) => {
      const { items } = await configs.current(orgCode);
      assert.ok(names.every((name) => items.has(`event#${name}`)));
      notified.push([orgCode, ...names]);
    },
  });
  const make = (kind: 'event' | 'logicblock', ...names: readonly string[]) =>
    changeConfig({ store, configs }, 'acme', async (_set, version) => ({
      changes: names.map((name) => activeItems.put({ kind, name }, { version }, { if: 'any' })),
    }));
  await make('event', 'paid', 'sent');
  await make('logicblock', 'event');
  assert.deepEqual(notified, [['acme', 'paid', 'sent'], ['acme']]);
});
