import assert from 'node:assert/strict';
import fc from 'fast-check';
import { byBytes, type ConformanceCase, getOne, put, remove, sortKeys } from './bench.ts';
import { nastyKey, nastyText } from './text-arbitrary.ts';

/** Pairs and groups that some engine, collation or file system takes for one another. */
const lookAlikes = [
  'order',
  'Order',
  'ORDER',
  'order ',
  ' order',
  'order  ',
  'order\t',
  'orders',
  'order#1',
  'order#10',
  'order#01',
  'caf\u00e9',
  'cafe\u0301',
  'cafe',
  'CAF\u00c9',
  'stra\u00dfe',
  'strasse',
  'i',
  '\u0131',
  '\u0130',
  '\ufb01',
  'fi',
  '\u03c3',
  '\u03c2',
  '\u03a3',
  '\u212a',
  'K',
  'k',
  '\uff21',
  'A',
  'a',
  '\ufeffa',
  'a\u200d',
  '%',
  '_',
  '*',
  '?',
  '\\',
  "'",
  '"',
  '0',
  '00',
  '1',
  '1.0',
  '-0',
  '1e0',
  '\uffff',
  '\u{1f600}',
  '\ud7ff',
  '\ue000',
  '\u{10ffff}',
];

export const textCases: readonly ConformanceCase[] = [
  {
    name: 'C09: keeps keys apart that differ in case, composition, width or trailing blanks',
    async run({ scope }) {
      await scope.commit(lookAlikes.map((sk) => put('p', sk, { value: `of ${sk}`, if: 'absent' })));
      await scope.commit(lookAlikes.map((pk) => put(pk, 's', { value: `in ${pk}`, if: 'absent' })));
      for (const name of lookAlikes) {
        assert.equal((await getOne(scope, 'p', name))?.value, `of ${name}`);
        assert.equal((await getOne(scope, name, 's'))?.value, `in ${name}`);
        assert.deepEqual(await sortKeys(scope, name), ['s']);
      }
      assert.equal(await scope.count('p', {}, 1000), lookAlikes.length);
    },
  },
  {
    name: 'finds nothing under a key that only looks like a stored one',
    async run({ scope }) {
      await scope.commit([put('Part', 'Key')]);
      for (const sk of ['key', 'KEY', 'Key ', ' Key', 'Ke', 'Key1', '%', 'K_y', 'K*', 'Key\u200d']) {
        assert.equal(await getOne(scope, 'Part', sk), undefined);
      }
      for (const pk of ['part', 'Part ', 'Par', 'Part1', '%', '*']) {
        assert.equal(await getOne(scope, pk, 'Key'), undefined);
        assert.deepEqual(await scope.range(pk, { limit: 10 }), []);
        assert.equal(await scope.count(pk, {}, 10), 0);
      }
    },
  },
  {
    name: 'removes the very key that is named, not one that looks like it',
    async run({ scope }) {
      await scope.commit(lookAlikes.map((sk) => put('p', sk)));
      await scope.commit([remove('p', 'order')]);
      const left = lookAlikes.filter((sk) => sk !== 'order').sort(byBytes);
      assert.deepEqual(await sortKeys(scope, 'p'), left);
    },
  },
  {
    name: 'C09: orders sort keys by their UTF-8 bytes, above U+FFFF too',
    async run({ scope }) {
      const ascending = [
        '!',
        '0',
        '10',
        '9',
        'A',
        'Z',
        'a',
        'a\u0301',
        'z',
        '\u007f',
        '\u00e9',
        '\ud7ff',
        '\ue000',
        '\uffff',
        '\u{10000}',
        '😀',
        '\u{10ffff}',
      ];
      await scope.commit(ascending.toReversed().map((sk) => put('p', sk)));
      assert.deepEqual(await sortKeys(scope, 'p'), ascending);
      const descending = await scope.range('p', { limit: 100, reverse: true });
      assert.deepEqual(
        descending.map((item) => item.sk),
        ascending.toReversed(),
      );
    },
  },
  {
    name: 'D03: gives back every text as it was written',
    async run({ store, freshName }) {
      const property = fc.asyncProperty(nastyKey(), nastyKey(), nastyText(20), async (pk, sk, value) => {
        const scope = store.scope(freshName());
        await scope.commit([put(`p${pk}`, sk, { value })]);
        assert.deepEqual(await getOne(scope, `p${pk}`, sk), { pk: `p${pk}`, sk, version: 1, value });
        assert.deepEqual(await scope.range(`p${pk}`, { limit: 2 }), [{ pk: `p${pk}`, sk, version: 1, value }]);
      });
      await fc.assert(property, { numRuns: 60 });
    },
  },
  {
    name: 'keeps empty and very long values',
    async run({ scope }) {
      const long = '\u{1f600}'.repeat(200_000);
      await scope.commit([put('p', 'empty', { value: '' }), put('p', 'long', { value: long })]);
      assert.equal((await getOne(scope, 'p', 'empty'))?.value, '');
      assert.equal((await getOne(scope, 'p', 'long'))?.value, long);
    },
  },
  {
    name: 'answers a get in the order of its keys, with undefined where nothing is',
    async run({ scope }) {
      await scope.commit([put('p', 'a', { value: '1' }), put('q', 'b', { value: '2' })]);
      const [b, missing, a, again] = await scope.get([
        { pk: 'q', sk: 'b' },
        { pk: 'p', sk: 'b' },
        { pk: 'p', sk: 'a' },
        { pk: 'p', sk: 'a' },
      ]);
      assert.deepEqual([b?.value, missing, a?.value, again?.value], ['2', undefined, '1', '1']);
      assert.deepEqual(await scope.get([]), []);
    },
  },
];
