import assert from 'node:assert/strict';
import { ScopeClosed } from '../../port.ts';
import { add, append, type ConformanceCase, getOne, put, putIndex, remove } from './bench.ts';

export const durabilityCases: readonly ConformanceCase[] = [
  {
    name: 'holds every acknowledged commit after it was opened again',
    needs: 'reopen',
    async run({ scope, maintenance, clock, reopen }) {
      const due = { at: clock.now() + 1000, queue: 'work' } as const;
      await scope.commit([put('p', 'a', { value: 'é😀\uffff', due }), put('p', 'b'), add('c', 'n', 41)]);
      await scope.commit([remove('p', 'b'), putIndex('index#i', 'k', 'p', 'a'), append('log', 'entry')]);
      const before = await maintenance.scan(scope.name, undefined, 100);
      const again = await reopen();
      assert.deepEqual(await again.maintenance.scan(scope.name, undefined, 100), before);
      assert.deepEqual(await again.maintenance.scopes(undefined, 5), [{ name: scope.name, seq: 2, state: 'open' }]);
      assert.equal((await again.maintenance.due('work', due.at, 5)).length, 1);
      const reopened = again.store.scope(scope.name);
      assert.equal((await reopened.follow('index#i', { limit: 5 })).length, 1);
      assert.deepEqual(await reopened.commit([add('c', 'n', 1)]), { seq: 3, sums: [42] });
    },
  },
  {
    name: 'holds the last commit of many after it was opened again, and again',
    needs: 'reopen',
    async run({ scope, reopen }) {
      let current = scope;
      for (let round = 1; round <= 3; round++) {
        const commits = Array.from({ length: 50 }, (_, index) => current.commit([put('p', `${round}-${index}`)]));
        await Promise.all(commits);
        current = (await reopen()).store.scope(scope.name);
        assert.equal(await current.count('p', {}, 1000), 50 * round);
      }
      assert.equal((await current.commit([put('p', 'x')])).seq, 151);
    },
  },
  {
    name: 'keeps a closed scope closed after it was opened again',
    needs: 'reopen',
    async run({ scope, maintenance, reopen }) {
      await scope.commit([put('p', 'a')]);
      await maintenance.setState(scope.name, 'closed');
      const again = (await reopen()).store.scope(scope.name);
      await assert.rejects(again.commit([put('p', 'b')]), ScopeClosed);
      assert.equal((await getOne(again, 'p', 'a'))?.version, 1);
    },
  },
];
