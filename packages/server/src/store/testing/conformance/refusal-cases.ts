import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Change, limits, type RangeRead, TooLarge } from '../../port.ts';
import {
  add,
  append,
  type Bench,
  type ConformanceCase,
  check,
  checkEmpty,
  contents,
  put,
  putIndex,
  remove,
} from './bench.ts';

const halfPair = '\ud83d';

export const refusalCases: readonly ConformanceCase[] = [
  {
    name: 'refuses a commit that names a key twice, whatever the changes are',
    async run(bench) {
      const changes = [put('p', 'k'), remove('p', 'k', 'any'), add('p', 'k', 1), check('p', 'k', 'any')];
      for (const first of changes) for (const second of changes) await refused(bench, [first, second]);
      await refused(bench, [putIndex('index#i', 'k', 'p', 'a'), remove('index#i', 'k', 'any')]);
      await bench.scope.commit([put('p', 'k'), put('k', 'p'), put('pk', 'k'), append('log', 'x'), append('log', 'x')]);
      await bench.scope.commit([checkEmpty('x'), checkEmpty('x'), check('p', 'k', 'present')]);
    },
  },
  {
    name: 'D03: refuses empty keys, halves of surrogate pairs and U+0000 wherever they stand',
    async run(bench) {
      for (const bad of ['', `a${halfPair}`, `${halfPair}a`, '\udc00', 'a\0', '\0']) {
        await refused(bench, [put(bad, 'k')]);
        await refused(bench, [put('p', bad)]);
        await refused(bench, [remove('p', bad, 'any')]);
        await refused(bench, [check(bad, 'k', 'any')]);
        await refused(bench, [add('p', bad, 1)]);
        await refused(bench, [append(bad, 'x')]);
        await refused(bench, [checkEmpty(bad)]);
        await refused(bench, [putIndex('index#i', 'k', 'p', bad)]);
        await refused(bench, [putIndex('index#i', 'k', bad, 'a')]);
        assert.throws(() => bench.store.scope(bad), TypeError);
        if (bad === '') continue;
        await refused(bench, [put('p', 'k', { value: bad })]);
        await refused(bench, [append('p', bad)]);
        await refused(bench, [checkEmpty('p', bad)]);
      }
    },
  },
  {
    name: 'refuses a value in an index partition, an index item outside, and a target that is an index item',
    async run(bench) {
      await refused(bench, [put('index#i', 'k')]);
      await refused(bench, [add('index#i', 'k', 1)]);
      await refused(bench, [append('index#i', 'x')]);
      await refused(bench, [putIndex('p', 'k', 'p', 'a')]);
      await refused(bench, [putIndex('index', 'k', 'p', 'a')]);
      await refused(bench, [putIndex('index#i', 'k', 'index#j', 'a')]);
      await assert.rejects(bench.scope.follow('p', { limit: 1 }), TypeError);
    },
  },
  {
    name: 'refuses numbers that are no safe integers',
    async run(bench) {
      for (const bad of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
        await refused(bench, [add('c', 'n', bad)]);
        await refused(bench, [add('c', 'n', 1, { max: bad })]);
        await refused(bench, [add('c', 'n', 1, { min: bad })]);
        await refused(bench, [put('p', 'k', { due: { at: bad, queue: 'work' } })]);
        await assert.rejects(bench.scope.range('p', { limit: bad }), TypeError);
        await assert.rejects(bench.scope.range('p', { limit: 1, bytesMax: bad }), TypeError);
        await assert.rejects(bench.scope.count('p', {}, bad), TypeError);
      }
      await assert.rejects(bench.scope.range('p', { limit: -1 }), TypeError);
    },
  },
  {
    name: 'refuses to read by half a surrogate pair, and finds nothing under keys that cannot be written',
    async run({ scope }) {
      await scope.commit([put('p', '\ufffd'), put('\ufffd', 'k')]);
      await assert.rejects(scope.get([{ pk: 'p', sk: halfPair }]), TypeError);
      await assert.rejects(scope.get([{ pk: halfPair, sk: 'k' }]), TypeError);
      const reads: readonly Partial<RangeRead>[] = [{ prefix: halfPair }, { after: halfPair }, { before: halfPair }];
      for (const read of reads) await assert.rejects(scope.range('p', { limit: 5, ...read }), TypeError);
      await assert.rejects(scope.count(halfPair, {}, 5), TypeError);
      const unwritable = ['', '\0', 'a\0', 'x'.repeat(5000)].map((sk) => ({ pk: 'p', sk }));
      assert.deepEqual(
        await scope.get(unwritable),
        unwritable.map(() => undefined),
      );
    },
  },
  {
    name: 'D17: takes keys, values and commits up to their limits, measured in UTF-8 bytes, and refuses more',
    async run(bench) {
      const { scope } = bench;
      const longest = 'é'.repeat(limits.keyBytesMax / 2);
      await scope.commit([put(longest, longest, { value: 'x' })]);
      assert.equal((await scope.get([{ pk: longest, sk: longest }]))[0]?.value, 'x');
      await refused(bench, [put('p', `${longest}x`)], TooLarge);
      await refused(bench, [put(`${longest}x`, 'k')], TooLarge);
      await refused(bench, [putIndex('index#i', 'k', 'p', `${longest}x`)], TooLarge);

      const largest = 'é'.repeat(limits.valueBytesMax / 2);
      await scope.commit([put('p', 'large', { value: largest })]);
      assert.equal((await scope.get([{ pk: 'p', sk: 'large' }]))[0]?.value, largest);
      await refused(bench, [put('p', 'k', { value: `${largest}x` })], TooLarge);
      await refused(bench, [append('p', `${largest}x`)], TooLarge);
    },
  },
  {
    name: 'keeps keys apart that are as long as can be and cannot be compressed, and refuses longer names of scopes',
    async run({ store, freshName }) {
      const [pk = '', sk = '', other = ''] = [0, 1, 2].map(() => randomBytes(768).toString('base64'));
      // A byte is left for a name beside it.
      const name = freshName();
      const scope = store.scope(name + sk.slice(0, limits.scopeBytesMax - 1 - name.length));
      await scope.commit([put(pk, sk, { value: '1' }), put(pk, other, { value: '2' })]);
      await scope.commit([putIndex(`index#${pk.slice(6)}`, sk, pk, sk), check(pk, other, { version: 1 })]);
      assert.equal((await scope.get([{ pk, sk: other }]))[0]?.value, '2');
      assert.equal((await scope.follow(`index#${pk.slice(6)}`, { limit: 5 }))[0]?.value, '1');
      assert.throws(() => store.scope('x'.repeat(limits.scopeBytesMax + 1)), TooLarge);
    },
  },
  {
    name: 'takes commits up to their limits of changes and bytes, and refuses more',
    async run(bench) {
      const { scope } = bench;
      const keys = Array.from({ length: limits.changesMax + 1 }, (_, index) => put('many', `k${index}`));
      await scope.commit(keys.slice(1));
      assert.equal(await scope.count('many', {}, limits.changesMax + 1), limits.changesMax);
      await refused(bench, keys, TooLarge);

      const quarter = limits.commitBytesMax / 4;
      const value = 'x'.repeat(quarter - 2);
      const full = ['a', 'b', 'c', 'd'].map((sk) => put('p', sk, { value }));
      await scope.commit(full);
      await refused(bench, [...full, check('p', 'e', 'any')], TooLarge);
    },
  },
];

type ErrorClass = typeof TypeError | typeof TooLarge;

/** The commit rejects, and the scope holds what it held. */
async function refused(bench: Bench, changes: readonly Change[], error: ErrorClass = TypeError): Promise<void> {
  const before = await contents(bench, bench.scope);
  await assert.rejects(bench.scope.commit(changes), error);
  assert.deepEqual(await contents(bench, bench.scope), before);
}
