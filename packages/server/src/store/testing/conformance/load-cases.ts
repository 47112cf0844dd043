import assert from 'node:assert/strict';
import { type Item, limits } from '../../port.ts';
import { add, type ConformanceCase, contents, getOne, put } from './bench.ts';

/** Items of a scope as a copy meets them: of many commits, with dues of both queues, values before index items. */
function itemsAt(now: number): readonly Item[] {
  return [
    { pk: 'c', sk: 'n', version: 9, value: '41' },
    { pk: 'p', sk: 'a', version: 3, value: 'é😀\uffff' },
    { pk: 'p', sk: 'gone', version: 4, value: '', due: { at: now - 1, queue: 'expire' } },
    { pk: 'p', sk: 'work', version: 7, value: '1', due: { at: now, queue: 'work' } },
    { pk: 'index#i', sk: 'k', version: 5, value: '', target: { pk: 'p', sk: 'a' } },
    { pk: 'index#i', sk: 'nowhere', version: 6, value: '', target: { pk: 'p', sk: 'never' } },
  ];
}

function inKeyOrder(items: readonly Item[]): readonly Item[] {
  return items.toSorted((left, right) => (`${left.pk}\0${left.sk}` < `${right.pk}\0${right.sk}` ? -1 : 1));
}

export const loadCases: readonly ConformanceCase[] = [
  {
    name: 'loads the items of another store as they are, and counts on from its number',
    async run(bench) {
      const { scope, maintenance, clock } = bench;
      const items = itemsAt(clock.now());
      await maintenance.load({ name: scope.name, seq: 12, state: 'open' }, items);
      assert.deepEqual(await contents(bench, scope), inKeyOrder(items));
      assert.deepEqual(await scope.follow('index#i', { limit: 5 }), [{ sk: 'k', version: 3, value: 'é😀\uffff' }]);
      assert.equal(await getOne(scope, 'p', 'gone'), undefined);
      const due = await maintenance.due('work', clock.now(), 10_000);
      assert.deepEqual(due.find((one) => one.scope === scope.name)?.item, items[3]);
      await scope.commit([put('p', 'a', { if: { version: 3 } })]);
      assert.deepEqual(await scope.commit([add('c', 'n', 1)]), { seq: 14, sums: [42] });
    },
  },
  {
    name: 'loads into a closed scope, in as many steps as it takes, and twice the same',
    async run(bench) {
      const { scope, maintenance, clock } = bench;
      const items = itemsAt(clock.now());
      const closed = { name: scope.name, seq: 0, state: 'closed' } as const;
      await maintenance.load(closed, []);
      for (const part of [items.slice(0, 4), items.slice(2, 5), items.slice(4)]) await maintenance.load(closed, part);
      const head = { name: scope.name, seq: 12, state: 'open' } as const;
      await maintenance.load(head, []);
      assert.deepEqual(await contents(bench, scope), inKeyOrder(items));
      const heads = await maintenance.scopes(undefined, 10_000);
      assert.deepEqual(
        heads.find(({ name }) => name === scope.name),
        head,
      );
    },
  },
  {
    name: 'ends a scan with the item that takes the values past what one may hold, and goes on behind it',
    async run({ scope, maintenance }) {
      const value = 'é'.repeat(limits.scanBytesMax / 8);
      const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((sk) => ({ pk: 'p', sk, version: 1, value }));
      for (const item of items) await maintenance.load({ name: scope.name, seq: 1, state: 'open' }, [item]);
      const first = await maintenance.scan(scope.name, undefined, 100);
      assert.deepEqual(first, items.slice(0, 5));
      assert.deepEqual(await maintenance.scan(scope.name, first.at(-1), 100), items.slice(5));
      assert.equal((await maintenance.scan(scope.name, undefined, 3)).length, 3);
    },
  },
];
