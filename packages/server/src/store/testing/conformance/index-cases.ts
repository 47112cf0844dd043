import assert from 'node:assert/strict';
import type { RangeRead, Scope } from '../../port.ts';
import { type ConformanceCase, check, contents, fill, getOne, put, putIndex, remove, sortKeys } from './bench.ts';
import { assertConflict } from './commit-cases.ts';

export const indexCases: readonly ConformanceCase[] = [
  {
    name: 'keeps an index item with its target and an empty value',
    async run({ scope }) {
      await scope.commit([putIndex('index#i', 'k', 'p', 'a')]);
      const expected = { pk: 'index#i', sk: 'k', version: 1, value: '', target: { pk: 'p', sk: 'a' } };
      assert.deepEqual(await getOne(scope, 'index#i', 'k'), expected);
      assert.deepEqual(await scope.range('index#i', { limit: 5, bytesMax: 0 }), [expected]);
      assert.equal(await scope.count('index#i', {}, 5), 1);
    },
  },
  {
    name: 'puts an index item again with another target, and removes it under a condition',
    async run({ scope }) {
      await scope.commit([putIndex('index#i', 'k', 'p', 'a')]);
      await scope.commit([putIndex('index#i', 'k', 'q', 'b')]);
      assert.deepEqual((await getOne(scope, 'index#i', 'k'))?.target, { pk: 'q', sk: 'b' });
      await assertConflict(scope.commit([remove('index#i', 'k', { version: 1 })]), 0, 'condition');
      await scope.commit([check('index#i', 'k', 'present'), check('index#i', 'x', 'absent')]);
      await scope.commit([remove('index#i', 'k', { version: 2 })]);
      assert.equal(await getOne(scope, 'index#i', 'k'), undefined);
    },
  },
  {
    name: 'follows an index in the order of the index, not of the targets',
    async run({ scope }) {
      await scope.commit([
        ...['a', 'b', 'c'].map((sk) => put('p', sk)),
        putIndex('index#i', '1', 'p', 'c'),
        putIndex('index#i', '2', 'p', 'a'),
        putIndex('index#i', '3', 'p', 'b'),
        putIndex('index#i', '4', 'p', 'a'),
        putIndex('index#j', '1', 'p', 'b'),
      ]);
      assert.deepEqual(await followed(scope, {}), ['1:c', '2:a', '3:b', '4:a']);
      assert.deepEqual(await followed(scope, { reverse: true }), ['4:a', '3:b', '2:a', '1:c']);
      assert.deepEqual(await followed(scope, { after: '1', before: '4' }), ['2:a', '3:b']);
      assert.deepEqual(await followed(scope, { prefix: '3' }), ['3:b']);
      assert.deepEqual(await followed(scope, { limit: 2 }), ['1:c', '2:a']);
      const [first] = await scope.follow('index#i', { limit: 1 });
      assert.deepEqual(first, { sk: '1', version: 1, value: 'value of c' });
    },
  },
  {
    name: 'leaves out index items without a target and goes on to `limit` targets',
    async run({ scope }) {
      await scope.commit([
        put('p', 'a'),
        put('p', 'b'),
        put('q', 'gone'),
        ...['gone', 'a', 'gone', 'gone', 'b', 'gone'].map((sk, index) => putIndex('index#i', String(index), 'p', sk)),
      ]);
      assert.deepEqual(await followed(scope, { limit: 2 }), ['1:a', '4:b']);
      await scope.commit([remove('p', 'a')]);
      assert.deepEqual(await followed(scope, { limit: 2 }), ['4:b']);
      assert.equal(await scope.count('index#i', {}, 10), 6);
    },
  },
  {
    name: 'ends a follow with the target that takes the values past `bytesMax`',
    async run({ scope }) {
      await scope.commit([
        ...['a', 'b', 'c'].map((sk) => put('p', sk, { value: `value of é${sk}` })),
        ...['a', 'b', 'c'].map((sk) => putIndex('index#i', sk, 'p', sk)),
      ]);
      assert.deepEqual(await followed(scope, { bytesMax: 11 }), ['a:éa']);
      assert.deepEqual(await followed(scope, { bytesMax: 12 }), ['a:éa', 'b:éb']);
      assert.deepEqual(await followed(scope, { bytesMax: 100 }), ['a:éa', 'b:éb', 'c:éc']);
    },
  },
  {
    name: 'finds no target in another scope, partition or case',
    async run({ store, freshName }) {
      const [here, there] = [store.scope(freshName()), store.scope(freshName())];
      await there.commit([put('p', 'a')]);
      await here.commit([put('q', 'a'), put('p', 'A'), putIndex('index#i', 'k', 'p', 'a')]);
      assert.deepEqual(await here.follow('index#i', { limit: 10 }), []);
    },
  },
  {
    name: 'scans values and index items of a scope in one order, page by page',
    async run(bench) {
      const { scope, maintenance } = bench;
      const partitions = ['a', 'index', 'index#a', 'index#b', 'indexes', 'Index#a', 'z', '\uffff', '\u{1f600}'];
      await fill(
        scope,
        partitions.flatMap((pk) =>
          ['1', '10', '2'].map((sk) => (pk.startsWith('index#') ? putIndex(pk, sk, 'a', '1') : put(pk, sk))),
        ),
      );
      const all = await contents(bench, scope);
      const order = ['Index#a', 'a', 'index', 'index#a', 'index#b', 'indexes', 'z', '\uffff', '\u{1f600}'];
      assert.deepEqual(
        all.map(({ pk, sk }) => [pk, sk]),
        order.flatMap((pk) => ['1', '10', '2'].map((sk) => [pk, sk])),
      );
      const walked = [];
      for (
        let page = await maintenance.scan(scope.name, undefined, 4);
        page.length > 0 && walked.length <= all.length;
      ) {
        walked.push(...page);
        page = await maintenance.scan(scope.name, page.at(-1), 4);
      }
      assert.deepEqual(walked, all);
      assert.deepEqual(await sortKeys(scope, 'index#b'), ['1', '10', '2']);
    },
  },
];

async function followed(scope: Scope, read: Partial<RangeRead>): Promise<readonly string[]> {
  return (await scope.follow('index#i', { limit: 100, ...read })).map(
    ({ sk, value }) => `${sk}:${value.replace('value of ', '')}`,
  );
}
