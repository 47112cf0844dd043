import assert from 'node:assert/strict';
import { add, type ConformanceCase, contents, getOne, put, remove, tally } from './bench.ts';
import { assertConflict } from './commit-cases.ts';

export const counterCases: readonly ConformanceCase[] = [
  {
    name: 'counts from 0 and answers with the new values in the order of the changes',
    async run({ scope }) {
      assert.deepEqual(await scope.commit([add('c', 'z', 5), put('p', 'x'), add('c', 'a', -2)]), {
        seq: 1,
        sums: [5, -2],
      });
      assert.deepEqual(await scope.commit([add('c', 'a', 1), add('c', 'z', 1), add('c', 'm', 0)]), {
        seq: 2,
        sums: [-1, 6, 0],
      });
      assert.deepEqual(await getOne(scope, 'c', 'z'), { pk: 'c', sk: 'z', version: 2, value: '6' });
    },
  },
  {
    name: 'begins again at 0 when a counter was removed, and goes on from a value that was put',
    async run({ scope }) {
      await scope.commit([add('c', 'n', 5)]);
      await scope.commit([remove('c', 'n')]);
      assert.deepEqual((await scope.commit([add('c', 'n', 2)])).sums, [2]);
      await scope.commit([put('c', 'n', { value: '-40' })]);
      assert.deepEqual((await scope.commit([add('c', 'n', 2)])).sums, [-38]);
    },
  },
  {
    name: 'refuses a sum outside min and max, and takes the bounds themselves',
    async run(bench) {
      const { scope } = bench;
      await scope.commit([add('c', 'n', 5)]);
      const before = await contents(bench, scope);
      await assertConflict(scope.commit([put('p', 'x'), add('c', 'n', 1, { max: 5 })]), 1, 'bound');
      await assertConflict(scope.commit([add('c', 'n', -6, { min: 0 })]), 0, 'bound');
      await assertConflict(scope.commit([add('c', 'm', 0, { min: 1 })]), 0, 'bound');
      assert.deepEqual(await contents(bench, scope), before);
      assert.deepEqual((await scope.commit([add('c', 'n', 1, { min: 6, max: 6 })])).sums, [6]);
      assert.deepEqual((await scope.commit([add('c', 'n', -6, { min: 0 })])).sums, [0]);
    },
  },
  {
    name: 'never counts past the integers that a number holds exactly',
    async run({ scope }) {
      const most = Number.MAX_SAFE_INTEGER;
      assert.deepEqual((await scope.commit([add('c', 'n', most), add('c', 'm', -most)])).sums, [most, -most]);
      await assertConflict(scope.commit([add('c', 'n', 1)]), 0, 'bound');
      await assertConflict(scope.commit([add('c', 'm', -1)]), 0, 'bound');
      assert.equal((await getOne(scope, 'c', 'n'))?.value, String(most));
      assert.deepEqual((await scope.commit([add('c', 'n', -most)])).sums, [0]);
    },
  },
  {
    name: 'takes an add to an item that is no counter for a mistake of the caller',
    async run(bench) {
      const { scope } = bench;
      for (const value of ['', 'text', '1.5', '01', ' 1', '1e3', '9007199254740993']) {
        await scope.commit([put('p', 'a', { value })]);
        const before = await contents(bench, scope);
        await assert.rejects(scope.commit([put('p', 'b'), add('p', 'a', 1)]), TypeError);
        assert.deepEqual(await contents(bench, scope), before);
      }
    },
  },
  {
    name: 'keeps the due of a counter, and starts again when the counter has expired',
    async run({ scope, clock }) {
      const due = { at: clock.now() + 1000, queue: 'expire' } as const;
      await scope.commit([put('c', 'n', { value: '7', due })]);
      assert.deepEqual((await scope.commit([add('c', 'n', 1)])).sums, [8]);
      assert.deepEqual((await getOne(scope, 'c', 'n'))?.due, due);
      clock.advance(1000);
      assert.deepEqual((await scope.commit([add('c', 'n', 1)])).sums, [1]);
      assert.deepEqual(await getOne(scope, 'c', 'n'), { pk: 'c', sk: 'n', version: 3, value: '1' });
    },
  },
  {
    name: 'adds to the figures of a row, and answers with its new first figures in the order of the changes',
    async run({ scope }) {
      const add = { kind: 'add', pk: 'c', sk: 'n', by: 7 } as const;
      assert.deepEqual((await scope.commit([tally('t', 'b', 2, -5), add, tally('t', 'a', 1)])).sums, [2, 7, 1]);
      assert.deepEqual((await scope.commit([tally('t', 'b', 1, 3, 4)])).sums, [3]);
      assert.deepEqual(await getOne(scope, 't', 'b'), {
        ...{ pk: 't', sk: 'b', version: 2 },
        value: '{"label":"of b","figures":["3","-2","4"]}',
      });
    },
  },
  {
    name: 'adds exactly past the integers that a number holds',
    async run({ scope }) {
      const most = BigInt(Number.MAX_SAFE_INTEGER);
      for (const _ of [1, 2, 3]) await scope.commit([{ kind: 'tally', pk: 't', sk: 'a', label: '', by: [1n, most] }]);
      assert.equal((await getOne(scope, 't', 'a'))?.value, `{"label":"","figures":["3","${3n * most}"]}`);
    },
  },
  {
    name: 'removes a row whose first figure comes to 0, and begins again',
    async run({ scope }) {
      await scope.commit([tally('t', 'a', 2, 9)]);
      await scope.commit([tally('t', 'a', -1, -4)]);
      assert.deepEqual((await scope.commit([tally('t', 'a', -1)])).sums, [0]);
      assert.equal(await getOne(scope, 't', 'a'), undefined);
      assert.equal(await scope.count('t', {}, 9), 0);
      await scope.commit([tally('t', 'a', 1, 1)]);
      assert.equal((await getOne(scope, 't', 'a'))?.value, '{"label":"of a","figures":["1","1"]}');
      await scope.commit([remove('t', 'a', 'present')]);
      await scope.commit([tally('t', 'a', 0, 5)]);
      assert.equal(await getOne(scope, 't', 'a'), undefined);
    },
  },
  {
    name: 'loses nothing of what many add to a row at once, and refuses none of them',
    async run({ scope }) {
      await Promise.all(
        Array.from({ length: 40 }, (_, at) => scope.commit([tally('t', 'a', 1, at), put('p', `k${at}`)])),
      );
      assert.equal((await getOne(scope, 't', 'a'))?.value, '{"label":"of a","figures":["40","780"]}');
    },
  },
  {
    name: 'adds nothing in a commit that is refused',
    async run({ scope }) {
      await scope.commit([tally('t', 'a', 1), put('p', 'x')]);
      await assertConflict(scope.commit([tally('t', 'a', 1), put('p', 'x', { if: 'absent' })]), 1, 'condition');
      assert.equal((await getOne(scope, 't', 'a'))?.value, '{"label":"of a","figures":["1"]}');
    },
  },
  {
    name: 'takes figures for an item that is no row of them for a mistake of the caller',
    async run(bench) {
      const { scope } = bench;
      for (const value of ['', '7', '[]', '{"label":"a"}', '{"label":"a","figures":[1]}', '{"figures":["1"]}']) {
        await scope.commit([put('p', 'a', { value })]);
        const before = await contents(bench, scope);
        await assert.rejects(scope.commit([put('p', 'b'), tally('p', 'a', 1)]), TypeError);
        assert.deepEqual(await contents(bench, scope), before);
      }
    },
  },
];
