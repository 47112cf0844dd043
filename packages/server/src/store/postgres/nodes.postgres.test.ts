import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { Conflict, type OpenedStore, ScopeClosed } from '../port.ts';
import { add, append, checkEmpty, getOne, put, putIndex, remove } from '../testing/conformance/bench.ts';
import { openPostgres } from './open-postgres.ts';
import { startTestServer, type TestServer, whyNot } from './testing/test-server.ts';

const clock = systemClock;

describe('several nodes on one PostgreSQL', { skip: whyNot }, () => {
  let server: TestServer;
  let spaces = 0;
  const space = () => `nodes_${process.pid}_${spaces}`;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  /** Several stores on one new schema, as several processes would open it, and the schema's end after the work. */
  async function withNodes(count: number, work: (nodes: readonly OpenedStore[]) => Promise<void>): Promise<void> {
    spaces++;
    const open = () => openPostgres({ url: server.url, space: space(), clock });
    const nodes = await Promise.all(Array.from({ length: count }, open));
    await work(nodes);
    await Promise.all(nodes.map(({ store }) => store.close()));
    await server.run(`drop schema "freehold_${space()}" cascade`);
  }

  test('start at once on an empty database and find one schema', () =>
    withNodes(8, async (nodes) => {
      for (const [index, { store }] of nodes.entries())
        assert.equal((await store.scope('s').commit([put('p', String(index))])).seq, index + 1);
    }));

  test('make a scope once, however many commit to it first', () =>
    withNodes(4, async (nodes) => {
      for (let round = 0; round < 20; round++) {
        const commits = nodes.map(({ store }) =>
          store.scope(`s${round}`).commit([add('c', 'n', 1), append('log', 'x')]),
        );
        const numbers = (await Promise.all(commits)).map(({ seq, sums }) => [seq, ...sums]).sort();
        assert.deepEqual(
          numbers,
          [1, 2, 3, 4].map((number) => [number, number]),
        );
      }
    }));

  test('lose no count, give each number once, and let one win a key that must be absent', () =>
    withNodes(3, async (nodes) => {
      const scopes = nodes.map(({ store }) => store.scope('s'));
      const writers = Array.from({ length: 24 }, (_, index) => index);
      const won = new Map<string, number>();
      const write = async (writer: number) => {
        const scope = of(scopes, writer);
        for (let round = 0; round < 12; round++) {
          await scope.commit([add('c', 'n', 1), append('log', `${writer}-${round}`)]);
          const claim = scope.commit([put('claimed', String(round), { if: 'absent' })]);
          const has = await claim.then(() => true, refusedByCondition);
          if (has) won.set(String(round), (won.get(String(round)) ?? 0) + 1);
        }
      };
      await Promise.all(writers.map(write));
      assert.equal((await getOne(of(scopes, 0), 'c', 'n'))?.value, String(24 * 12));
      assert.deepEqual(
        [...won.values()],
        Array.from({ length: 12 }, () => 1),
      );
      const log = await of(scopes, 1).range('log', { limit: 1000 });
      assert.equal(new Set(log.map(({ value }) => value)).size, 24 * 12);
      assert.equal(new Set(log.map(({ version }) => version)).size, 24 * 12);
    }));

  test('leave no index item behind that points to a record which another node removes', () =>
    withNodes(2, async (nodes) => {
      const [one, two] = [of(nodes, 0).store.scope('s'), of(nodes, 1).store.scope('s')];
      for (let round = 0; round < 60; round++) {
        const id = String(round);
        await one.commit([put('p', id)]);
        const refer = one.commit([
          { kind: 'check', pk: 'p', sk: id, if: 'present' },
          putIndex('index#refers', id, 'p', id),
        ]);
        const erase = two.commit([remove('p', id), checkEmpty('index#refers', id)]);
        const done = await Promise.allSettled([refer, erase]);
        assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1);
      }
      const places = await one.count('index#refers', {}, 100);
      assert.equal((await two.follow('index#refers', { limit: 100 })).length, places);
    }));

  test('see what another has committed, and no longer write where another has closed', () =>
    withNodes(2, async (nodes) => {
      const [one, two] = [of(nodes, 0), of(nodes, 1)];
      await one.store.scope('s').commit([put('p', 'a', { value: '1' })]);
      assert.equal((await getOne(two.store.scope('s'), 'p', 'a'))?.value, '1');
      await two.maintenance.setState('s', 'closed');
      await assert.rejects(one.store.scope('s').commit([put('p', 'b')]), ScopeClosed);
    }));

  test('refuse a schema that a newer release wrote, and leave it as it is', () =>
    withNodes(1, async () => {
      await server.run(`update "freehold_${space()}".schema_version set version = 99`);
      const opening = openPostgres({ url: server.url, space: space(), clock });
      await assert.rejects(opening, /written by a newer release \(data version 99, this release knows \d+\)/);
    }));
});

function of<T>(all: readonly T[], index: number): T {
  const one = all[index % all.length];
  assert.ok(one !== undefined);
  return one;
}

function refusedByCondition(error: unknown): boolean {
  assert.ok(error instanceof Conflict && error.reason === 'condition', String(error));
  return false;
}
