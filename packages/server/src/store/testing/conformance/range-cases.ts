import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Item, Range, RangeRead, Scope } from '../../port.ts';
import { byBytes, type ConformanceCase, fill, put } from './bench.ts';
import { nastyKey, nastyText } from './text-arbitrary.ts';

export const rangeCases: readonly ConformanceCase[] = [
  {
    name: 'reads what starts with a prefix, and nothing else',
    async run({ scope }) {
      await scope.commit(
        ['order', 'order#1', 'order#10', 'order#2', 'orders', 'orders#1', 'Order#1', 'o%'].map((sk) => put('p', sk)),
      );
      await scope.commit([put('p#', 'order#1'), put('p1', 'order#1')]);
      assert.deepEqual(await keysIn(scope, { prefix: 'order#' }), ['order#1', 'order#10', 'order#2']);
      assert.deepEqual(await keysIn(scope, { prefix: 'order#1' }), ['order#1', 'order#10']);
      assert.deepEqual(await keysIn(scope, { prefix: 'orders' }), ['orders', 'orders#1']);
      assert.deepEqual(await keysIn(scope, { prefix: 'o%' }), ['o%']);
      assert.deepEqual(await keysIn(scope, { prefix: 'x' }), []);
    },
  },
  {
    name: 'takes `after` and `before` as exclusive bounds, whichever way it reads',
    async run({ scope }) {
      await scope.commit(['a', 'b', 'c', 'd'].map((sk) => put('p', sk)));
      assert.deepEqual(await keysIn(scope, { after: 'a', before: 'd' }), ['b', 'c']);
      assert.deepEqual(await keysIn(scope, { after: 'a', before: 'd', reverse: true }), ['c', 'b']);
      assert.deepEqual(await keysIn(scope, { after: 'aa' }), ['b', 'c', 'd']);
      assert.deepEqual(await keysIn(scope, { after: 'd' }), []);
      assert.deepEqual(await keysIn(scope, { before: 'a' }), []);
      assert.deepEqual(await keysIn(scope, { after: 'c', before: 'b' }), []);
      assert.deepEqual(await keysIn(scope, { after: '' }), ['a', 'b', 'c', 'd']);
    },
  },
  {
    name: 'ends a read after `limit` items, counted from the end that it starts at',
    async run({ scope }) {
      await scope.commit(['a', 'b', 'c'].map((sk) => put('p', sk)));
      assert.deepEqual(await keysIn(scope, {}, 2), ['a', 'b']);
      assert.deepEqual(await keysIn(scope, { reverse: true }, 2), ['c', 'b']);
      assert.deepEqual(await keysIn(scope, {}, 0), []);
    },
  },
  {
    name: 'ends a read with the item that takes the values past `bytesMax`, counted in UTF-8',
    async run({ scope }) {
      await scope.commit(['a', 'b', 'c', 'd'].map((sk) => put('p', sk, { value: 'éé' })));
      const read = async (bytesMax: number) => (await scope.range('p', { limit: 10, bytesMax })).length;
      assert.deepEqual(await Promise.all([0, 3, 4, 7, 8, 15, 16, 17].map(read)), [1, 1, 2, 2, 3, 4, 4, 4]);
      assert.equal((await scope.range('p', { limit: 2, bytesMax: 100 })).length, 2);
    },
  },
  {
    name: 'walks a partition page by page without missing or repeating an item',
    async run({ scope }) {
      const keys = Array.from({ length: 257 }, (_, index) => `k${index}`);
      await fill(
        scope,
        keys.map((sk) => put('p', sk)),
      );
      for (const reverse of [false, true]) {
        const walked: string[] = [];
        for (let page = await keysIn(scope, { reverse }, 10); page.length > 0 && walked.length <= keys.length; ) {
          walked.push(...page);
          const last = page.at(-1) ?? '';
          page = await keysIn(scope, reverse ? { reverse, before: last } : { reverse, after: last }, 10);
        }
        assert.deepEqual(walked, reverse ? keys.toSorted(byBytes).reverse() : keys.toSorted(byBytes));
      }
    },
  },
  {
    name: 'counts at most as many items as asked for, under every bound',
    async run({ scope }) {
      await scope.commit(['a1', 'a2', 'a3', 'b1'].map((sk) => put('p', sk)));
      assert.equal(await scope.count('p', {}, 10), 4);
      assert.equal(await scope.count('p', {}, 3), 3);
      assert.equal(await scope.count('p', {}, 0), 0);
      assert.equal(await scope.count('p', { prefix: 'a' }, 10), 3);
      assert.equal(await scope.count('p', { prefix: 'a', after: 'a1', before: 'a3' }, 10), 1);
      assert.equal(await scope.count('p', { reverse: true }, 2), 2);
      assert.equal(await scope.count('q', {}, 10), 0);
    },
  },
  {
    name: 'reads any range of any keys as a sorted list of them would be cut',
    async run({ store, freshName }) {
      const property = fc.asyncProperty(stockAndReads, async ([stock, reads]) => {
        const scope = store.scope(freshName());
        await scope.commit([...stock].map(([sk, value]) => put('p', sk, { value })));
        for (const read of reads) {
          const found = await scope.range('p', read);
          assert.deepEqual(found.map(pair), cut(stock, read), `range ${JSON.stringify(read)}`);
          const { bytesMax: _, ...counted } = read;
          const count = await scope.count('p', read, read.limit);
          assert.equal(count, cut(stock, counted).length, `count ${JSON.stringify(read)}`);
        }
      });
      await fc.assert(property, { numRuns: 100 });
    },
  },
];

async function keysIn(scope: Scope, range: Range, limit = 100): Promise<readonly string[]> {
  return (await scope.range('p', { ...range, limit })).map((item) => item.sk);
}

type Stock = ReadonlyMap<string, string>;

const stockArbitrary = fc
  .array(fc.tuple(nastyKey(), nastyText(2)), { minLength: 1, maxLength: 40 })
  .map((pairs): Stock => new Map(pairs));

/** Bounds and prefixes are often taken from keys that are there: a bound that hits a key is where ranges go wrong. */
const stockAndReads: fc.Arbitrary<readonly [Stock, readonly RangeRead[]]> = stockArbitrary.chain((stock) => {
  const bound = fc.oneof(nastyText(2), fc.constantFrom(...stock.keys()));
  const prefix = fc.oneof(
    nastyText(1),
    bound.map((sk) => [...sk].slice(0, 1).join('')),
  );
  const read: fc.Arbitrary<RangeRead> = fc.record(
    {
      prefix,
      after: bound,
      before: bound,
      reverse: fc.boolean(),
      limit: fc.constantFrom(0, 1, 2, 5, 100, 100),
      bytesMax: fc.constantFrom(0, 1, 3, 10, 1000),
    },
    { requiredKeys: ['limit'] },
  );
  return fc.tuple(fc.constant(stock), fc.array(read, { minLength: 4, maxLength: 12 }));
});

/** The result that the port promises, computed the plain way: from the bytes of the whole list. */
function cut(
  stock: Stock,
  { prefix = '', after, before, reverse, limit, bytesMax }: RangeRead,
): readonly (readonly string[])[] {
  const matching = [...stock]
    .filter(([sk]) => sk.startsWith(prefix))
    .filter(([sk]) => after === undefined || byBytes(sk, after) > 0)
    .filter(([sk]) => before === undefined || byBytes(sk, before) < 0)
    .sort(([left], [right]) => (reverse === true ? byBytes(right, left) : byBytes(left, right)))
    .slice(0, limit);
  let bytes = 0;
  const past = matching.findIndex(([, value]) => {
    bytes += Buffer.byteLength(value);
    return bytes > (bytesMax ?? Number.POSITIVE_INFINITY);
  });
  return past < 0 ? matching : matching.slice(0, past + 1);
}

function pair({ sk, value }: Item): readonly string[] {
  return [sk, value];
}
