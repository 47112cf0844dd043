import assert from 'node:assert/strict';
import { type Change, type Condition, Conflict, type ConflictReason } from '../../port.ts';
import {
  append,
  type Bench,
  type ConformanceCase,
  check,
  checkEmpty,
  contents,
  getOne,
  put,
  putIndex,
  remove,
  sortKeys,
} from './bench.ts';

export const commitCases: readonly ConformanceCase[] = [
  {
    name: 'numbers the commits of a scope one after the other and stamps each item with its commit',
    async run({ scope }) {
      assert.deepEqual(await scope.commit([put('p', 'a'), put('p', 'b')]), { seq: 1, sums: [] });
      assert.deepEqual(await scope.commit([put('p', 'a')]), { seq: 2, sums: [] });
      await assert.rejects(scope.commit([put('p', 'b', { if: 'absent' })]), Conflict);
      assert.deepEqual(await scope.commit([remove('p', 'a')]), { seq: 3, sums: [] });
      assert.deepEqual(await scope.commit([put('p', 'a')]), { seq: 4, sums: [] });
      const [a, b] = await scope.get([
        { pk: 'p', sk: 'a' },
        { pk: 'p', sk: 'b' },
      ]);
      assert.deepEqual([a?.version, b?.version], [4, 1]);
    },
  },
  {
    name: 'replaces the whole item, its due included',
    async run({ scope, clock }) {
      await scope.commit([put('p', 'a', { value: 'old', due: { at: clock.now() + 1000, queue: 'work' } })]);
      await scope.commit([put('p', 'a', { value: 'new' })]);
      assert.deepEqual(await getOne(scope, 'p', 'a'), { pk: 'p', sk: 'a', version: 2, value: 'new' });
    },
  },
  {
    name: 'lets each condition pass exactly where it holds, for put, remove and check',
    async run(bench) {
      const { scope } = bench;
      const { seq } = await scope.commit([put('p', 'there', { value: 'x' })]);
      const table: readonly (readonly [Condition, boolean, boolean])[] = [
        ['any', true, true],
        ['absent', false, true],
        ['present', true, false],
        [{ version: seq }, true, false],
        [{ version: seq + 1 }, false, false],
        [{ version: 0 }, false, false],
      ];
      for (const [condition, passesPresent, passesAbsent] of table) {
        for (const kind of ['put', 'remove', 'check'] as const) {
          assert.equal(await passes(bench, changeOf(kind, 'there', condition)), passesPresent);
          assert.equal(await passes(bench, changeOf(kind, 'missing', condition)), passesAbsent);
        }
      }
    },
  },
  {
    name: 'writes nothing at all when one change of a commit is refused, wherever it stands',
    async run(bench) {
      const { scope } = bench;
      await scope.commit([put('p', 'kept', { value: 'old' }), putIndex('index#i', 'kept', 'p', 'kept')]);
      const before = await contents(bench, scope);
      const writes: readonly Change[] = [
        put('p', 'kept', { value: 'new' }),
        put('p', 'new'),
        remove('index#i', 'kept'),
        putIndex('index#i', 'new', 'p', 'new'),
        { kind: 'add', pk: 'c', sk: 'n', by: 1 },
        append('log', 'entry'),
      ];
      for (let position = 0; position <= writes.length; position++) {
        const changes = writes.toSpliced(position, 0, check('p', 'missing', 'present'));
        await assertConflict(scope.commit(changes), position, 'condition');
        assert.deepEqual(await contents(bench, scope), before);
      }
      assert.equal((await scope.commit([check('p', 'kept', 'present')])).seq, 2);
    },
  },
  {
    name: 'names the change that was refused and why',
    async run({ scope }) {
      await scope.commit([put('p', 'a')]);
      await assertConflict(scope.commit([put('p', 'b'), put('p', 'a', { if: 'absent' })]), 1, 'condition');
      await assertConflict(scope.commit([{ kind: 'add', pk: 'c', sk: 'n', by: 2, max: 1 }]), 0, 'bound');
      await assertConflict(scope.commit([put('p', 'b'), put('p', 'c'), checkEmpty('p')]), 2, 'not-empty');
      const twice = [check('p', 'a', 'present'), check('p', 'x', 'present'), check('p', 'y', 'present')];
      await assertConflict(scope.commit(twice), 1, 'condition');
    },
  },
  {
    name: 'keeps a later commit free of what a refused one would have written',
    async run({ scope }) {
      const [refused, later] = await Promise.allSettled([
        scope.commit([put('p', 'a'), check('p', 'missing', 'present')]),
        scope.commit([put('p', 'a', { value: 'later', if: 'absent' })]),
      ]);
      assert.deepEqual([refused.status, later.status], ['rejected', 'fulfilled']);
      assert.equal((await getOne(scope, 'p', 'a'))?.value, 'later');
    },
  },
  {
    name: 'lets commits made side by side see each other in their order',
    async run({ scope }) {
      const results = await Promise.allSettled([
        scope.commit([put('p', 'a', { if: 'absent' })]),
        scope.commit([put('p', 'a', { if: 'absent' })]),
        scope.commit([remove('p', 'a', { version: 1 })]),
        scope.commit([put('p', 'a', { if: 'absent', value: 'last' })]),
      ]);
      assert.deepEqual(
        results.map((result) => result.status),
        ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      );
      assert.deepEqual(await getOne(scope, 'p', 'a'), { pk: 'p', sk: 'a', version: 3, value: 'last' });
    },
  },
  {
    name: "judges a check-empty after the commit's own changes",
    async run({ scope }) {
      await scope.commit([put('p', 'a#1'), put('p', 'a#2'), put('p', 'b#1')]);
      await assertConflict(scope.commit([checkEmpty('p', 'a#')]), 0, 'not-empty');
      await assertConflict(scope.commit([checkEmpty('p', 'a#'), remove('p', 'a#1')]), 0, 'not-empty');
      await scope.commit([checkEmpty('p', 'a#'), remove('p', 'a#1'), remove('p', 'a#2')]);
      await assertConflict(scope.commit([put('p', 'a#3'), checkEmpty('p', 'a#')]), 1, 'not-empty');
      await scope.commit([checkEmpty('p', 'a#'), checkEmpty('q'), checkEmpty('p', 'b#10')]);
      assert.deepEqual(await sortKeys(scope, 'p'), ['b#1']);
    },
  },
  {
    name: 'judges a check-empty over index items, appended items and any number of removed ones',
    async run({ scope }) {
      const keys = Array.from({ length: 400 }, (_, index) => `k${index}`);
      await scope.commit([putIndex('index#i', 'a', 'p', 'k1'), ...keys.map((sk) => put('p', sk))]);
      await assertConflict(scope.commit([checkEmpty('index#i')]), 0, 'not-empty');
      await scope.commit([remove('index#i', 'a'), checkEmpty('index#i')]);
      await assertConflict(scope.commit([append('log', 'x'), checkEmpty('log')]), 1, 'not-empty');
      await assertConflict(
        scope.commit([...keys.slice(1).map((sk) => remove('p', sk)), checkEmpty('p')]),
        399,
        'not-empty',
      );
      await scope.commit([...keys.map((sk) => remove('p', sk)), checkEmpty('p')]);
      assert.equal(await scope.count('p', {}, 10), 0);
    },
  },
  {
    name: 'takes a prefix of check-empty byte for byte',
    async run({ scope }) {
      await scope.commit([put('p', 'Order#1'), put('p', 'x%y'), put('p', '\u{1f600}')]);
      await scope.commit([
        checkEmpty('p', 'order'),
        checkEmpty('p', '%'),
        checkEmpty('p', 'x_'),
        checkEmpty('p', '\uffff'),
      ]);
      await assertConflict(scope.commit([checkEmpty('p', 'x%')]), 0, 'not-empty');
      await assertConflict(scope.commit([checkEmpty('p', '\u{1f600}')]), 0, 'not-empty');
    },
  },
  {
    name: 'appends at the end of a partition, in the order of commits and of changes',
    async run({ scope }) {
      await scope.commit([append('log', '0'), append('other', 'x'), append('log', '1')]);
      for (let index = 2; index < 12; index++) await scope.commit([append('log', String(index))]);
      const items = await scope.range('log', { limit: 100 });
      assert.deepEqual(
        items.map((item) => Number(item.value)),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      );
      assert.deepEqual(
        items.map((item) => item.version),
        [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      );
      assert.equal(await scope.count('other', {}, 10), 1);
    },
  },
];

export async function assertConflict(
  commit: Promise<unknown>,
  changeIndex: number,
  reason: ConflictReason,
): Promise<void> {
  await assert.rejects(commit, (error: unknown) => {
    assert.ok(error instanceof Conflict, `expected a conflict, got ${error}`);
    assert.deepEqual([error.changeIndex, error.reason], [changeIndex, reason]);
    return true;
  });
}

function changeOf(kind: 'put' | 'remove' | 'check', sk: string, condition: Condition): Change {
  if (kind === 'put') return put('p', sk, { if: condition });
  return kind === 'remove' ? remove('p', sk, condition) : check('p', sk, condition);
}

/** Whether a change passes; the same commit is then refused by a second change, so that the next try finds the same. */
async function passes({ scope }: Bench, change: Change): Promise<boolean> {
  const barrier = check('p', 'barrier', 'present');
  try {
    await scope.commit([change, barrier]);
  } catch (error) {
    assert.ok(error instanceof Conflict);
    return error.changeIndex === 1;
  }
  throw new Error('the barrier let a commit pass');
}
