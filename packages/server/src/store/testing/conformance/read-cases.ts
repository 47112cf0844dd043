import assert from 'node:assert/strict';
import { type CheckReads, type Item, limits, type Range, type Scope, ScopeClosed, TooLarge } from '../../port.ts';
import { add, type ConformanceCase, getOne, put, putIndex, remove } from './bench.ts';
import { assertConflict } from './commit-cases.ts';

const none: CheckReads = { kind: 'check-reads', items: [], parts: [] };

function readOf(pk: string, sk: string, version?: number): CheckReads {
  return { ...none, items: [{ pk, sk, version }] };
}

/** A part as it is read now. */
async function partOf(scope: Scope, pk: string, range: Range): Promise<CheckReads> {
  const items: readonly Item[] = await scope.range(pk, { ...range, limit: 100 });
  const newest = Math.max(0, ...items.map(({ version }) => version));
  return { ...none, parts: [{ pk, ...range, count: items.length, newest }] };
}

export const readCases: readonly ConformanceCase[] = [
  {
    name: 'holds a commit to the items that were read, and to those that were not there',
    async run({ scope }) {
      await scope.commit([put('p', 'a'), putIndex('index#i', 'a', 'p', 'a')]);
      await scope.commit([readOf('p', 'a', 1), put('q', 'x')]);
      await scope.commit([put('q', 'x'), readOf('p', 'b')]);
      await scope.commit([readOf('index#i', 'a', 1), put('q', 'x')]);
      await scope.commit([put('p', 'a'), put('p', 'b')]);
      await assertConflict(scope.commit([put('q', 'y'), readOf('p', 'a', 1)]), 1, 'condition');
      await assertConflict(scope.commit([readOf('p', 'b'), put('q', 'y')]), 0, 'condition');
      await assertConflict(scope.commit([readOf('p', 'c', 1), put('q', 'y')]), 0, 'condition');
      await assertConflict(scope.commit([readOf('index#i', 'b', 1), put('q', 'y')]), 0, 'condition');
      assert.equal(await getOne(scope, 'q', 'y'), undefined);
    },
  },
  {
    name: 'holds a commit to the parts of partitions that were read: nothing added, changed or gone',
    async run({ scope }) {
      const target = ['p', 'b'] as const;
      for (const pk of ['p', 'index#i']) {
        const write = (sk: string) => (pk === 'p' ? put(pk, sk) : putIndex(pk, sk, ...target));
        const outside = [write('a'), write('c'), remove(pk, 'a')];
        for (const range of [{ prefix: 'b' }, { after: 'a', before: 'c' }, { after: 'a#', prefix: 'b' }]) {
          const ways = [[write('b')], [write('b'), write('b2')], [write('b3')], [remove(pk, 'b', 'any')]];
          for (const way of ways) {
            await scope.commit([write('b'), write('b1')]);
            const read = await partOf(scope, pk, range);
            await scope.commit([read, put('q', 'x')]);
            for (const change of outside) await scope.commit([change]);
            await scope.commit([read, put('q', 'x')]);
            await scope.commit(way);
            await assertConflict(scope.commit([put('q', 'y'), read]), 1, 'condition');
            await scope.commit([remove(pk, 'b2', 'any'), remove(pk, 'b3', 'any')]);
          }
        }
      }
      const empty = await partOf(scope, 'r', {});
      await scope.commit([empty, put('q', 'x')]);
      await scope.commit([put('r', 'a')]);
      await assertConflict(scope.commit([empty, put('q', 'y')]), 0, 'condition');
      assert.equal(await getOne(scope, 'q', 'y'), undefined);
    },
  },
  {
    name: 'holds a commit to what was counted, whatever the items hold by now',
    async run({ scope }) {
      await scope.commit([put('p', 'a'), put('p', 'b'), put('q', 'x')]);
      const whole: CheckReads = { ...none, parts: [{ pk: 'p', count: 2 }] };
      const cut: CheckReads = { ...none, parts: [{ pk: 'p', count: 2, isCut: true }] };
      await scope.commit([put('p', 'a'), remove('p', 'b'), put('p', 'c')]);
      for (const read of [whole, cut]) await scope.commit([read, put('q', 'x')]);
      await scope.commit([put('p', 'd')]);
      await scope.commit([cut, put('q', 'x')]);
      await assertConflict(scope.commit([whole, put('q', 'x')]), 0, 'condition');
      await scope.commit([remove('p', 'c'), remove('p', 'd')]);
      for (const read of [whole, cut]) await assertConflict(scope.commit([read, put('q', 'x')]), 0, 'condition');
    },
  },
  {
    name: "judges what was read before the commit's own changes, and after those of the commits before it",
    async run({ scope }) {
      await scope.commit([put('p', 'a')]);
      const read: CheckReads = { ...readOf('p', 'a', 1), parts: [{ pk: 'p', count: 1, newest: 1 }] };
      const commits = [
        scope.commit([put('p', 'a'), put('p', 'b'), read]),
        scope.commit([read, put('p', 'c')]),
        scope.commit([{ ...none, parts: [{ pk: 'p', count: 2, newest: 2 }] }, remove('p', 'b')]),
        scope.commit([{ ...none, parts: [{ pk: 'p', count: 1, newest: 2 }] }, put('p', 'd')]),
      ];
      const ends = await Promise.allSettled(commits);
      const statuses = ends.map(({ status }) => status);
      assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      assert.deepEqual(
        (await scope.range('p', { limit: 9 })).map(({ sk, version }) => [sk, version]),
        [
          ['a', 2],
          ['d', 4],
        ],
      );
    },
  },
  {
    name: 'takes an expired item for absent in what was read',
    async run({ scope, clock }) {
      const due = { at: clock.now() + 5, queue: 'expire' } as const;
      await scope.commit([put('p', 'a', { due }), put('p', 'b')]);
      const read: CheckReads = { ...readOf('p', 'a', 1), parts: [{ pk: 'p', count: 2, newest: 1 }] };
      await scope.commit([read, put('q', 'x')]);
      clock.advance(5);
      for (const one of [
        { ...read, parts: [] },
        { ...read, items: [] },
      ])
        await assertConflict(scope.commit([one, put('q', 'x')]), 0, 'condition');
      const now: CheckReads = { ...readOf('p', 'a'), parts: [{ pk: 'p', count: 1, newest: 1 }] };
      assert.equal((await scope.commit([now])).seq, 2);
    },
  },
  {
    name: 'gives the last `seq` to a commit that only checks what was read, and takes none for it',
    async run({ scope, store, maintenance, freshName }) {
      assert.equal((await scope.commit([readOf('p', 'a')])).seq, 0);
      await scope.commit([put('p', 'a')]);
      const both = [
        scope.commit([readOf('p', 'a', 1)]),
        scope.commit([put('p', 'a')]),
        scope.commit([readOf('p', 'a', 2)]),
      ];
      assert.deepEqual(
        (await Promise.all(both)).map(({ seq }) => seq),
        [1, 2, 2],
      );
      await assertConflict(scope.commit([readOf('p', 'a', 1)]), 0, 'condition');
      assert.deepEqual(await scope.commit([add('c', 'n', 1)]), { seq: 3, sums: [1] });
      const closed = store.scope(freshName());
      await closed.commit([put('p', 'a')]);
      await maintenance.setState(closed.name, 'closed');
      await assert.rejects(closed.commit([readOf('p', 'a', 1)]), ScopeClosed);
    },
  },
  {
    name: 'checks the reads of a commit once, and so many at most',
    async run({ scope }) {
      const items = Array.from({ length: limits.readsMax }, (_, index) => ({
        pk: 'p',
        sk: `k${index}`,
        version: undefined,
      }));
      await scope.commit([{ ...none, items }, put('p', 'k0')]);
      await assert.rejects(scope.commit([{ ...none, items: [...items, { pk: 'p', sk: 'x', version: 1 }] }]), TooLarge);
      await assert.rejects(
        scope.commit([{ ...none, parts: [{ pk: 'p', count: limits.readsMax, newest: 1 }] }]),
        TooLarge,
      );
      await assert.rejects(scope.commit([readOf('p', 'a'), readOf('p', 'b')]), TypeError);
      await assert.rejects(scope.commit([readOf('p', '')]), TypeError);
    },
  },
];
