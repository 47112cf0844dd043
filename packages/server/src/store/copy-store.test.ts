import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CopyRefused, type CopySides, copyStores } from './copy-store.ts';
import type { Maintenance } from './port.ts';
import { sqliteSubject } from './sqlite/testing/temporary-store.ts';
import { TestClock } from './testing/conformance/bench.ts';
import { contentsArbitrary, everythingOf, filled } from './testing/conformance/store-contents.ts';
import { openMemory } from './testing/open-memory.ts';

const clock = new TestClock();

function sides(from: Maintenance, to: Maintenance): readonly CopySides[] {
  return [{ space: 'test', from, to }];
}

/** Every load, or change of a state, may be the one at which the process is killed: before it, or after. */
function cutOffAfter(maintenance: Maintenance, loads: number): Maintenance {
  let left = loads;
  return {
    ...maintenance,
    async load(head, items) {
      if (left-- <= 0) throw new Error('cut off');
      await maintenance.load(head, items);
    },
  };
}

test('a copy holds the same items, heads and dues, between all engines', async () => {
  const property = fc.asyncProperty(contentsArbitrary, async (contents) => {
    const memory = await filled(openMemory({ clock }), contents);
    const [first, second] = [await sqliteSubject.open(clock), await sqliteSubject.open(clock)];
    try {
      const expected = await everythingOf(memory);
      const [copied] = await copyStores(sides(memory, first.opened.maintenance));
      assert.equal(copied?.written, copied?.items);
      assert.deepEqual(await everythingOf(first.opened.maintenance), expected);
      await copyStores(sides(first.opened.maintenance, second.opened.maintenance));
      assert.deepEqual(await everythingOf(second.opened.maintenance), expected);
    } finally {
      await first.dispose();
      await second.dispose();
    }
  });
  await fc.assert(property, { numRuns: 8 });
});

test('a copy that is cut off anywhere leaves every scope that is not whole closed, and the next one completes it', async () => {
  const property = fc.asyncProperty(contentsArbitrary, async (contents) => {
    const source = await filled(openMemory({ clock }), contents);
    const expected = await everythingOf(source);
    for (let loads = 0; ; loads++) {
      const { maintenance } = openMemory({ clock });
      const isWhole = await copyStores(sides(source, cutOffAfter(maintenance, loads))).then(
        () => true,
        () => false,
      );
      for (const head of await maintenance.scopes(undefined, 1000))
        assert.ok(
          head.state === 'closed' || expected.heads.some((one) => one.name === head.name && one.seq === head.seq),
        );
      await copyStores(sides(source, maintenance));
      assert.deepEqual(await everythingOf(maintenance), expected);
      if (isWhole) return;
    }
  });
  await fc.assert(property, { numRuns: 30 });
});

test('what is there is compared and not written again', async () => {
  const source = openMemory({ clock });
  const items = Array.from({ length: 5000 }, (_, index) => ({ pk: 'p', sk: String(index), version: 1, value: 'x' }));
  await source.maintenance.load({ name: 's', seq: 1, state: 'open' }, items);
  const { maintenance } = openMemory({ clock });
  await assert.rejects(copyStores(sides(source.maintenance, cutOffAfter(maintenance, 3))), /cut off/);
  const there = (await maintenance.scan('s', undefined, 10_000)).length;
  assert.ok(there > 0 && there < 5000);
  const [copied] = await copyStores(sides(source.maintenance, maintenance));
  assert.deepEqual(copied, { space: 'test', scopes: 1, items: 5000, written: 5000 - there, wasComplete: false });
  const untouched = cutOffAfter(maintenance, 0);
  const [again] = await copyStores(sides(source.maintenance, untouched));
  assert.deepEqual(again, { space: 'test', scopes: 1, items: 5000, written: 0, wasComplete: true });
});

test('the scopes of a source are copied page after page, and never held all at once', async () => {
  const [source, target] = [openMemory({ clock }), openMemory({ clock })];
  for (let index = 0; index < 2500; index++)
    await source.store.scope(`s${index}`).commit([{ kind: 'append', pk: 'log', value: '1' }]);
  const calls: ('page' | 'load')[] = [];
  const from: Maintenance = {
    ...source.maintenance,
    scopes: (after, limit) => {
      calls.push('page');
      return source.maintenance.scopes(after, limit);
    },
  };
  const to: Maintenance = {
    ...target.maintenance,
    load: (head, items) => {
      if (items.length > 0) calls.push('load');
      return target.maintenance.load(head, items);
    },
  };
  const [copied] = await copyStores(sides(from, to));
  assert.deepEqual([copied?.scopes, copied?.items, copied?.written], [2500, 2500, 2500]);
  const loads = calls.slice(calls.indexOf('load'), calls.lastIndexOf('load'));
  assert.equal(loads.filter((call) => call === 'page').length, 2);
  assert.deepEqual(await everythingOf(target.maintenance), await everythingOf(source.maintenance));
});

test('nothing is written over a store that holds something else', async () => {
  const source = openMemory({ clock });
  await source.store.scope('s').commit([{ kind: 'put', pk: 'p', sk: 'a', value: '1', if: 'any' }]);
  const others = [
    { scope: 'other', commits: 1, because: /holds something else/ },
    { scope: 's', commits: 2, because: /holds something else/ },
    { scope: 's', commits: 1, because: /holds other items than the source/ },
  ];
  for (const { scope, commits, because } of others) {
    const target = openMemory({ clock });
    for (let count = 0; count < commits; count++)
      await target.store.scope(scope).commit([{ kind: 'put', pk: 'p', sk: 'mine', value: '1', if: 'any' }]);
    const before = await everythingOf(target.maintenance);
    await assert.rejects(copyStores(sides(source.maintenance, target.maintenance)), because);
    assert.deepEqual(await everythingOf(target.maintenance), before);
  }
});

test('what a target holds beyond the source, or holds otherwise, is found by its count or its hash', async () => {
  const source = openMemory({ clock });
  await source.store.scope('s').commit([{ kind: 'put', pk: 'p', sk: 'a', value: '1', if: 'any' }]);
  const { maintenance } = openMemory({ clock });
  await maintenance.load({ name: 's', seq: 0, state: 'closed' }, [{ pk: 'z', sk: 'more', version: 1, value: '' }]);
  await assert.rejects(copyStores(sides(source.maintenance, maintenance)), CopyRefused);
  assert.deepEqual(await maintenance.scopes(undefined, 5), [{ name: 's', seq: 0, state: 'closed' }]);
});

test('a source that is written to meanwhile is noticed, and the target stays closed', async () => {
  const source = openMemory({ clock });
  const write = () => source.store.scope('s').commit([{ kind: 'append', pk: 'log', value: '1' }]);
  await write();
  const { maintenance } = openMemory({ clock });
  const written: Maintenance = {
    ...maintenance,
    async load(head, items) {
      await maintenance.load(head, items);
      // Behind what has been read, so that the items themselves do not tell.
      await source.store.scope('new').commit([{ kind: 'append', pk: 'log', value: '1' }]);
    },
  };
  await assert.rejects(copyStores(sides(source.maintenance, written)), /was written to meanwhile/);
  assert.ok((await maintenance.scopes(undefined, 5)).every(({ state }) => state === 'closed'));
});

test('a source that has lost the head of a scope is refused, and nothing is written', async () => {
  const [source, target] = [openMemory({ clock }), openMemory({ clock })];
  await source.store.scope('s').commit([{ kind: 'append', pk: 'log', value: '1' }]);
  await source.maintenance.load({ name: 's', seq: 0, state: 'open' }, []);
  await assert.rejects(
    copyStores(sides(source.maintenance, target.maintenance)),
    /has lost the head row of the scope "s" in `test`/,
  );
  assert.deepEqual(await target.maintenance.scopes(undefined, 5), []);
});

test('a copy that was cut off is no source', async () => {
  const [source, target] = [openMemory({ clock }), openMemory({ clock })];
  await source.maintenance.load({ name: 's', seq: 0, state: 'closed' }, []);
  await assert.rejects(copyStores(sides(source.maintenance, target.maintenance)), /the source is a copy that was cut/);
  assert.deepEqual(await target.maintenance.scopes(undefined, 5), []);
});
