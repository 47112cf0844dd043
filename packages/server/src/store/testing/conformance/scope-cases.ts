import assert from 'node:assert/strict';
import { Conflict, ScopeClosed, Unavailable } from '../../port.ts';
import { add, append, type ConformanceCase, contents, getOne, put, putIndex, remove, sortKeys } from './bench.ts';

export const scopeCases: readonly ConformanceCase[] = [
  {
    name: 'keeps the keys of scopes apart, whatever the scopes are called',
    needs: 'own-store',
    async run(bench) {
      const { store, maintenance } = bench;
      const names = ['a', 'A', 'a ', 'a#', 'a#b', 'a-b', 'ab', '%', '_', 'é', 'e\u0301', '\uffff', '😀'];
      for (const name of names) {
        const scope = store.scope(name);
        assert.deepEqual(await scope.commit([put('p', 'k', { value: name, if: 'absent' }), add('c', 'n', 1)]), {
          seq: 1,
          sums: [1],
        });
        await scope.commit([putIndex('index#i', 'k', 'p', 'k'), append('log', name)]);
      }
      await store.scope('a').commit([remove('p', 'k')]);
      for (const name of names.slice(1)) {
        const scope = store.scope(name);
        assert.equal(scope.name, name);
        assert.deepEqual(
          (await scope.range('p', { limit: 5 })).map((item) => item.value),
          [name],
        );
        assert.deepEqual(
          (await scope.follow('index#i', { limit: 5 })).map(({ value }) => value),
          [name],
        );
        assert.deepEqual(
          (await scope.range('log', { limit: 5 })).map((item) => item.value),
          [name],
        );
        assert.equal((await maintenance.scan(name, undefined, 100)).length, 4);
      }
      assert.equal(await getOne(store.scope('a'), 'p', 'k'), undefined);
    },
  },
  {
    name: 'lists the scopes by name in byte order, page by page',
    needs: 'own-store',
    async run({ store, maintenance }) {
      const ascending = ['A', 'a', 'a b', 'a#b', 'ab', '\ue000', '😀'];
      for (const name of ascending.toReversed()) await store.scope(name).commit([put('p', 'k')]);
      await store.scope('ab').commit([put('p', 'k')]);
      const all = await maintenance.scopes(undefined, 100);
      assert.deepEqual(
        all.map(({ name }) => name),
        ascending,
      );
      assert.deepEqual(
        all.find(({ name }) => name === 'ab'),
        { name: 'ab', seq: 2, state: 'open' },
      );
      assert.deepEqual(
        (await maintenance.scopes('a', 2)).map(({ name }) => name),
        ['a b', 'a#b'],
      );
      assert.deepEqual(await maintenance.scopes('😀', 2), []);
    },
  },
  {
    name: 'does not make a scope by reading it or by a refused commit',
    needs: 'own-store',
    async run({ store, maintenance, freshName }) {
      const scope = store.scope(freshName());
      assert.deepEqual(await scope.range('p', { limit: 5 }), []);
      await assert.rejects(scope.commit([put('p', 'k', { if: 'present' })]), Conflict);
      assert.deepEqual(await maintenance.scopes(undefined, 5), []);
    },
  },
  {
    name: 'refuses every commit of a closed scope, and still lets it be read',
    async run(bench) {
      const { scope, store, maintenance, freshName } = bench;
      const other = store.scope(freshName());
      await scope.commit([put('p', 'a')]);
      await maintenance.setState(scope.name, 'closed');
      const before = await contents(bench, scope);
      await assert.rejects(scope.commit([put('p', 'b')]), ScopeClosed);
      await assert.rejects(store.scope(scope.name).commit([remove('p', 'a')], { priority: 'background' }), ScopeClosed);
      assert.deepEqual(await contents(bench, scope), before);
      assert.deepEqual(await sortKeys(scope, 'p'), ['a']);
      assert.equal((await other.commit([put('p', 'b')])).seq, 1);
      const head = (await maintenance.scopes(undefined, 10_000)).find(({ name }) => name === scope.name);
      assert.deepEqual(head, { name: scope.name, seq: 1, state: 'closed' });
    },
  },
  {
    name: 'goes on counting when a closed scope is opened again',
    async run({ scope, maintenance }) {
      await scope.commit([put('p', 'a')]);
      await maintenance.setState(scope.name, 'closed');
      await maintenance.setState(scope.name, 'open');
      assert.equal((await scope.commit([put('p', 'b')])).seq, 2);
    },
  },
  {
    name: 'closes a scope between commits that are made side by side',
    async run({ scope, maintenance }) {
      const [first, , second] = await Promise.allSettled([
        scope.commit([put('p', 'a')]),
        maintenance.setState(scope.name, 'closed'),
        scope.commit([put('p', 'b')]),
      ]);
      assert.equal(first.status, 'fulfilled');
      assert.ok(second.status === 'rejected' && second.reason instanceof ScopeClosed);
      assert.deepEqual(await sortKeys(scope, 'p'), ['a']);
    },
  },
  {
    name: 'closes a scope that was never written to',
    async run({ scope, maintenance }) {
      await maintenance.setState(scope.name, 'closed');
      await assert.rejects(scope.commit([put('p', 'a')]), ScopeClosed);
    },
  },
  {
    name: 'answers every accepted commit before it is closed, and nothing afterwards',
    needs: 'own-store',
    async run({ store, maintenance, scope }) {
      const commits = Array.from({ length: 40 }, (_, index) => scope.commit([append('log', String(index))]));
      const settled = Promise.allSettled(commits);
      await store.close();
      assert.deepEqual(new Set((await settled).map((result) => result.status)), new Set(['fulfilled']));
      await assert.rejects(scope.commit([put('p', 'a')]), Unavailable);
      await assert.rejects(scope.get([{ pk: 'log', sk: 'x' }]), Unavailable);
      await assert.rejects(scope.range('log', { limit: 1 }), Unavailable);
      await assert.rejects(scope.follow('index#i', { limit: 1 }), Unavailable);
      await assert.rejects(scope.count('log', {}, 1), Unavailable);
      await assert.rejects(maintenance.scopes(undefined, 1), Unavailable);
      assert.equal((await store.health()).ok, false);
      await store.close();
    },
  },
  {
    name: 'says that it is well',
    async run({ store }) {
      assert.equal((await store.health()).ok, true);
    },
  },
];
