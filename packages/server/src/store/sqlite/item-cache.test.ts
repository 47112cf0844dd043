import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../lib/clock.ts';
import type { Item, Key, ScopeName } from '../port.ts';
import { ItemCache } from './item-cache.ts';
import { openSqlite } from './open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from './testing/temporary-store.ts';

const megabyte = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

function usedHeap(): number {
  assert.ok(typeof collectGarbage === 'function');
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A store in which every key has an item of so many bytes, and how many of them were read. */
function endlessStore(cache: ItemCache, bytes: number) {
  const value = 'v'.repeat(bytes);
  const reads = { items: 0 };
  const from = (keys: readonly Key[]): readonly Item[] => {
    reads.items += keys.length;
    return keys.map(({ pk, sk }) => ({ pk, sk, version: 1, value }));
  };
  const read = (scope: ScopeName, sk: number) => cache.get(scope, [{ pk: 'p', sk: `k${sk}` }], { now: 0, from });
  /** How many of the first so many items are kept. */
  const kept = (scope: ScopeName, items: number): number => {
    const before = reads.items;
    for (let sk = 0; sk < items; sk++) read(scope, sk);
    return items - (reads.items - before);
  };
  return { read, kept, reads };
}

test('stays within its bytes under any number of distinct keys and of orgs', () => {
  const cache = new ItemCache(megabyte);
  const { read } = endlessStore(cache, 300);
  for (let sk = 0; sk < 20_000; sk++) {
    read(sk % 2 === 0 ? 'one-w' : `org${sk}-w`, sk);
    assert.ok(cache.bytes <= megabyte);
  }
  assert.ok(cache.bytes > 0.9 * megabyte, `${cache.bytes} bytes are used`);
});

test('keeps no item that is larger than its bound for one', () => {
  const cache = new ItemCache(megabyte);
  endlessStore(cache, 64 * 1024).read('a-w', 1);
  assert.equal(cache.bytes, 0);
});

test('an org that is alone has all of it', () => {
  const cache = new ItemCache(megabyte);
  const { read, kept } = endlessStore(cache, 300);
  for (let sk = 0; sk < 1900; sk++) read('a-w', sk);
  assert.equal(kept('a-w', 1900), 1900);
});

test('an org that reads without end takes nothing from one with less than its share', () => {
  const cache = new ItemCache(megabyte);
  const { read, kept } = endlessStore(cache, 300);
  for (let sk = 0; sk < 600; sk++) read('small-w', sk);
  for (let sk = 0; sk < 20_000; sk++) read('large-w', sk);
  assert.equal(kept('small-w', 600), 600);
});

test('an org gets its share of a full cache also beside many small ones', () => {
  const cache = new ItemCache(megabyte);
  const { read, kept } = endlessStore(cache, 300);
  for (let org = 0; org < 300; org++) read(`org${org}-w`, 0);
  for (let sk = 0; sk < 5000; sk++) read('large-w', sk);
  for (let org = 0; org < 300; org++) assert.equal(kept(`org${org}-w`, 1), 1);
  // Each read looks at a few orgs only, until the large one is found.
  for (let round = 0; round < 12; round++) read('late-w', round % 3);
  for (let sk = 0; sk < 3; sk++) read('late-w', sk);
  assert.equal(kept('late-w', 3), 3);
});

test('what is used again and again outlasts what is read once', () => {
  const cache = new ItemCache(megabyte);
  const { read, reads } = endlessStore(cache, 300);
  for (let sk = 0; sk < 20_000; sk++) {
    read('a-w', sk);
    for (let used = 0; used < 3; used++) read('a-w', 100_000 + used);
  }
  const before = reads.items;
  for (let used = 0; used < 3; used++) read('a-w', 100_000 + used);
  assert.equal(reads.items, before);
});

test('what a commit erases is gone when the commit begins, and stays gone when it is acknowledged', async () => {
  const cache = new ItemCache(megabyte);
  const { read } = endlessStore(cache, 300);
  read('a-w', 1);
  assert.ok(cache.bytes > 0);
  const erasure = Promise.withResolvers<void>();
  const change = { kind: 'remove', pk: 'p', sk: 'k1', if: 'any' } as const;
  const erased = cache.run([{ kind: 'commit', scope: 'a-w', changes: [change] }], () => erasure.promise);
  assert.equal(cache.bytes, 0);
  // The store still has it until the writer's thread has come to it.
  read('a-w', 1);
  assert.equal(cache.bytes, 0);
  erasure.resolve();
  await erased;
  assert.equal(cache.bytes, 0);
});

test('an item that is read from the file beside the commits of a thread is never older than the last answer', async () => {
  using directory = temporaryDirectory();
  const { store } = await openSqlite({ path: directory.storePath, clock: systemClock, onFatal: failOnFatal });
  const scope = store.scope('a-w');
  const key = { pk: 'p', sk: 'k' };
  let acknowledged = 0;
  let isOver = false;
  const write = async () => {
    for (let round = 1; round <= 100; round++) {
      await scope.commit([{ kind: 'put', ...key, value: String(round), if: 'any' }]);
      acknowledged = round;
    }
    isOver = true;
  };
  const readOn = async () => {
    let last = 0;
    while (!isOver) {
      const least = acknowledged;
      const [item] = await scope.get([key]);
      const value = Number(item?.value ?? 0);
      assert.ok(value >= least && value >= last, `${value} was read after ${least} and ${last}`);
      last = value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([write(), readOn()]);
  assert.equal((await scope.get([key]))[0]?.value, '100');
  await store.close();
});

test('values that were overwritten leave nothing in memory', async () => {
  const cache = new ItemCache(8 * megabyte);
  const { read } = endlessStore(cache, 300);
  const overwrite = async (times: number): Promise<void> => {
    for (let sk = 0; sk < times; sk++) {
      const key = { pk: 'p', sk: `k${sk % 100}` };
      await cache.run(
        [{ kind: 'commit', scope: 'a-w', changes: [{ kind: 'remove', ...key, if: 'any' }] }],
        async () => undefined,
      );
      read('a-w', sk % 100);
    }
  };
  await overwrite(1000);
  const before = usedHeap();
  await overwrite(200_000);
  assert.ok(usedHeap() - before < 2 * megabyte, `${usedHeap() - before} bytes more are used`);
});
