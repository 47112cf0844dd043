import assert from 'node:assert/strict';
import type { Queue } from '../../port.ts';
import {
  add,
  type Bench,
  type ConformanceCase,
  check,
  checkEmpty,
  contents,
  getOne,
  put,
  putIndex,
  remove,
} from './bench.ts';
import { assertConflict } from './commit-cases.ts';

export const dueCases: readonly ConformanceCase[] = [
  {
    name: 'lets an item expire at its very millisecond, for every read',
    async run({ scope, clock }) {
      const due = { at: clock.now() + 10, queue: 'expire' } as const;
      await scope.commit([put('p', 'a', { due }), put('p', 'b'), putIndex('index#i', 'a', 'p', 'a')]);
      const seen = async () => [
        (await getOne(scope, 'p', 'a'))?.sk,
        (
          await scope.get([
            { pk: 'p', sk: 'a' },
            { pk: 'p', sk: 'b' },
          ])
        ).map((item) => item?.sk),
        (await scope.range('p', { limit: 1 })).map((item) => item.sk),
        (await scope.follow('index#i', { limit: 5 })).map(({ value }) => value),
        await scope.count('p', {}, 5),
      ];
      clock.advance(9);
      assert.deepEqual(await seen(), ['a', ['a', 'b'], ['a'], ['value of a'], 2]);
      clock.advance(1);
      assert.deepEqual(await seen(), [undefined, [undefined, 'b'], ['b'], [], 1]);
    },
  },
  {
    name: 'takes an expired item for absent in every condition',
    async run({ scope, clock }) {
      const due = { at: clock.now() + 10, queue: 'expire' } as const;
      await scope.commit([put('p', 'a', { due })]);
      await assertConflict(scope.commit([check('p', 'a', 'absent')]), 0, 'condition');
      await assertConflict(scope.commit([checkEmpty('p')]), 0, 'not-empty');
      clock.advance(10);
      await assertConflict(scope.commit([check('p', 'a', 'present')]), 0, 'condition');
      await assertConflict(scope.commit([check('p', 'a', { version: 1 })]), 0, 'condition');
      await assertConflict(scope.commit([remove('p', 'a', 'present')]), 0, 'condition');
      await scope.commit([checkEmpty('p')]);
      assert.equal((await scope.commit([put('p', 'a', { value: 'new', if: 'absent' })])).seq, 3);
      assert.deepEqual(await getOne(scope, 'p', 'a'), { pk: 'p', sk: 'a', version: 3, value: 'new' });
    },
  },
  {
    name: 'takes an item that is written expired for absent at once',
    async run({ scope, clock }) {
      const due = { at: clock.now(), queue: 'expire' } as const;
      const [first, second] = await Promise.allSettled([
        scope.commit([put('p', 'a', { due }), checkEmpty('p')]),
        scope.commit([put('p', 'a', { if: 'absent', value: 'second' })]),
      ]);
      assert.deepEqual([first.status, second.status], ['fulfilled', 'fulfilled']);
      assert.equal((await getOne(scope, 'p', 'a'))?.value, 'second');
    },
  },
  {
    name: 'keeps work that is due readable',
    async run({ scope, clock }) {
      await scope.commit([put('p', 'a', { due: { at: clock.now() - 5, queue: 'work' } })]);
      assert.deepEqual((await getOne(scope, 'p', 'a'))?.due, { at: clock.now() - 5, queue: 'work' });
      assert.equal((await scope.range('p', { limit: 5 })).length, 1);
      await assertConflict(scope.commit([put('p', 'a', { if: 'absent' })]), 0, 'condition');
    },
  },
  {
    name: 'sweeps an expired item by a remove under `absent`, and leaves one that was put again',
    async run(bench) {
      const { scope, clock } = bench;
      const due = { at: clock.now() + 10, queue: 'expire' } as const;
      await scope.commit([put('p', 'a', { due }), put('p', 'b', { due })]);
      clock.advance(10);
      assert.equal((await contents(bench, scope)).length, 2);
      await scope.commit([put('p', 'b', { value: 'again' })]);
      await scope.commit([remove('p', 'a', 'absent')]);
      await assertConflict(scope.commit([remove('p', 'b', 'absent')]), 0, 'condition');
      assert.deepEqual(
        (await contents(bench, scope)).map((item) => item.value),
        ['again'],
      );
    },
  },
  {
    name: 'lists what is due in a queue over all scopes, the earliest first, up to a time and a limit',
    needs: 'own-store',
    async run(bench) {
      const { store, maintenance, clock, freshName } = bench;
      const now = clock.now();
      const [left, right] = [store.scope(freshName()), store.scope(freshName())];
      const work = (sk: string, at: number, queue: Queue = 'work') => put('p', sk, { due: { at: now + at, queue } });
      await left.commit([work('d', 40), work('a', 10), work('x', 15, 'expire'), put('p', 'never')]);
      await right.commit([work('b', 20), work('c', 30), work('y', -5, 'expire'), work('e', 5, 'automation')]);
      assert.deepEqual(await dueKeys(bench, 'work', now + 100), ['a', 'b', 'c', 'd']);
      assert.deepEqual(await dueKeys(bench, 'work', now + 30), ['a', 'b', 'c']);
      assert.deepEqual(await dueKeys(bench, 'work', now + 29), ['a', 'b']);
      assert.deepEqual(await dueKeys(bench, 'work', now + 100, 1), ['a']);
      assert.deepEqual(await dueKeys(bench, 'expire', now + 100), ['y', 'x']);
      assert.deepEqual(await dueKeys(bench, 'automation', now + 100), ['e']);
      const [first] = await maintenance.due('work', now + 100, 1);
      assert.deepEqual(first, { scope: left.name, item: await getOne(left, 'p', 'a') });
    },
  },
  {
    name: 'lists an item only by the due that it carries now',
    needs: 'own-store',
    async run(bench) {
      const { scope, clock } = bench;
      const now = clock.now();
      const put1 = (sk: string, at: number) => put('p', sk, { due: { at, queue: 'work' } });
      await scope.commit([put1('moved', now), put1('done', now), put1('plain', now), put1('counter', now)]);
      // A lease: the process that moves the item forward under the version it saw has it; the other one conflicts.
      const lease = { ...put1('moved', now + 1000), if: { version: 1 } };
      const leases = await Promise.allSettled([scope.commit([lease]), scope.commit([lease])]);
      assert.deepEqual(leases.map((result) => result.status).sort(), ['fulfilled', 'rejected']);
      await scope.commit([remove('p', 'done'), put('p', 'plain'), put('p', 'counter', { value: '1' })]);
      await scope.commit([add('p', 'counter', 1)]);
      assert.deepEqual(await dueKeys(bench, 'work', now + 999), []);
      assert.deepEqual(await dueKeys(bench, 'work', now + 1000), ['moved']);
    },
  },
];

async function dueKeys({ maintenance }: Bench, queue: Queue, before: number, limit = 100): Promise<readonly string[]> {
  return (await maintenance.due(queue, before, limit)).map(({ item }) => item.sk);
}
