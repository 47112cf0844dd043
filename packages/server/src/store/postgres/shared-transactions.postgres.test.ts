import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../lib/clock.ts';
import { Conflict, OutcomeUnknown, type Scope, Unavailable } from '../port.ts';
import { add, append, byBytes, put } from '../testing/conformance/bench.ts';
import { openPostgres } from './open-postgres.ts';
import { type CuttingProxy, startCuttingProxy } from './testing/cutting-proxy.ts';
import { startTestServer, type TestServer, whyNot } from './testing/test-server.ts';

describe('scopes that share a transaction on PostgreSQL', { skip: whyNot }, () => {
  let server: TestServer;
  let proxy: CuttingProxy;
  let spaces = 0;
  before(async () => {
    server = await startTestServer();
    proxy = await startCuttingProxy(server.url);
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });

  /** Scopes that have a head, so that they ride together when they commit at once, and the name of their schema. */
  async function withScopes(
    { names, url = server.url }: { readonly names: readonly string[]; readonly url?: string },
    work: (scopes: readonly Scope[], schema: string) => Promise<void>,
  ): Promise<void> {
    const space = `shared_${process.pid}_${++spaces}`;
    const { store } = await openPostgres({ url, space, clock: systemClock });
    const scopes = names.map((name) => store.scope(name));
    for (const scope of scopes) await scope.commit([add('c', 'n', 1)]);
    await work(scopes, `freehold_${space}`);
    await store.close();
    await server.run(`drop schema "freehold_${space}" cascade`);
  }
  const sums = async (scopes: readonly Scope[]) =>
    Promise.all(scopes.map(async (scope) => (await scope.get([{ pk: 'c', sk: 'n' }]))[0]?.value));

  test('commit in one, each by its own number', () =>
    withScopes({ names: ['a', 'b', 'c'] }, async (scopes, schema) => {
      await scopes[1]?.commit([put('p', 'x')]);
      const done = await Promise.all(scopes.map((scope) => scope.commit([add('c', 'n', 1)])));
      assert.deepEqual(
        done,
        [2, 3, 2].map((seq) => ({ seq, sums: [2] })),
      );
      const transactions = await server.run(`select distinct xmin::text from "${schema}".items where pk = 'c'`);
      assert.equal(transactions.length, 1);
    }));

  test('do not hold each other to their conditions: what is refused leaves no trace, the rest stands', () =>
    withScopes({ names: ['a', 'b', 'c'] }, async (scopes, schema) => {
      const taken = put('c', 'n', { if: 'absent' });
      const done = await Promise.allSettled([
        ...scopes.map((scope, index) => scope.commit(index === 1 ? [append('log', 'x'), taken] : [add('c', 'n', 1)])),
        scopes[2]?.commit([append('log', 'x'), taken]),
        scopes[2]?.commit([append('log', 'y')]),
      ]);
      assert.deepEqual(
        done.map((one) => (one.status === 'fulfilled' ? one.value?.seq : one.reason instanceof Conflict)),
        [2, true, 2, true, 3],
      );
      const heads = await server.run(`select scope, seq::int from "${schema}".heads order by scope`);
      assert.deepEqual(heads.map(Object.values), [
        ['a', 2],
        ['b', 1],
        ['c', 3],
      ]);
      const log = await server.run(`select scope, value from "${schema}".items where pk = 'log'`);
      assert.deepEqual(log.map(Object.values), [['c', 'y']]);
    }));

  test('do not fail for each other: what the server refuses of one is asked of each alone', () =>
    withScopes({ names: ['a', 'b', 'c'] }, async (scopes, schema) => {
      for (const table of ['heads', 'items']) {
        await server.run(refusal(schema, table));
        const done = await Promise.allSettled(scopes.map((scope) => scope.commit([add('c', 'n', 1)])));
        assert.deepEqual(
          done.map((one) => (one.status === 'fulfilled' ? 'stored' : one.reason instanceof Unavailable)),
          ['stored', true, 'stored'],
        );
        await server.run(`drop trigger refusal on "${schema}".${table}`);
      }
      assert.deepEqual(await sums(scopes), ['3', '1', '3']);
    }));

  test('are all of unknown outcome when the answer to the commit is lost, and none is made again', () =>
    withScopes({ names: ['a', 'b'], url: proxy.url }, async (scopes) => {
      for (const when of [{ answer: 'COMMIT' }, 'before'] as const) {
        proxy.cutAt('\x0bcommit\0', when);
        const done = await Promise.allSettled(scopes.map((scope) => scope.commit([add('c', 'n', 1)])));
        for (const one of done) assert.ok(one.status === 'rejected' && one.reason instanceof OutcomeUnknown);
        assert.deepEqual(await sums(scopes), ['2', '2']);
      }
      proxy.cutAt('begin isolation', { answer: 'BEGIN' });
      const again = await Promise.all(scopes.map((scope) => scope.commit([add('c', 'n', 1)])));
      assert.deepEqual(again, [
        { seq: 3, sums: [3] },
        { seq: 3, sums: [3] },
      ]);
    }));

  test('commit though another process holds one of them, which waits alone', () =>
    withScopes({ names: ['a', 'b', 'c'] }, async (scopes, schema) => {
      const holder = new pg.Client({ connectionString: server.url });
      await holder.connect();
      await holder.query(`begin; select 1 from "${schema}".heads where scope = 'b' for update`);
      let isHeld = true;
      const [a, b, c] = scopes.map((scope) => scope.commit([add('c', 'n', 1)]));
      const heldUp = b?.then(() => assert.equal(isHeld, false));
      await Promise.all([a, c]);
      isHeld = false;
      await holder.query('commit');
      await holder.end();
      await heldUp;
      assert.deepEqual(await sums(scopes), ['2', '2', '2']);
    }));

  test('are locked in byte order by every node, and lose no count where nodes write them in other orders', () =>
    withScopes({ names: ['b', '\u{1f600}', '\uffee', 'a', 'a b', 'ä'] }, async (scopes, schema) => {
      const space = schema.replace('freehold_', '');
      const other = await openPostgres({ url: server.url, space, clock: systemClock });
      const locked = await takenHeads(async () => {
        for (let round = 0; round < 25; round++) {
          const forwards = scopes.map((scope) => scope.commit([add('c', 'n', 1)]));
          const backwards = scopes.toReversed().map(({ name }) => other.store.scope(name).commit([add('c', 'n', 1)]));
          await Promise.all([...forwards, ...backwards]);
        }
      });
      await other.store.close();
      assert.deepEqual(
        await sums(scopes),
        scopes.map(() => '51'),
      );
      const shared = locked.filter((names) => names.length > 1);
      assert.ok(shared.length >= 25, `${shared.length} transactions were shared`);
      for (const names of shared) assert.deepEqual(names, names.toSorted(byBytes));
    }));
});

/** The server refuses what is written of the scope `b`. */
function refusal(schema: string, table: string): string {
  return `
    create or replace function "${schema}".refusal() returns trigger language plpgsql as $$ begin
      if new.scope = 'b' then raise 'planted' using errcode = '53100'; end if;
      return new;
    end $$;
    create trigger refusal before insert or update on "${schema}".${table}
      for each row execute function "${schema}".refusal();`;
}

/** The scopes whose heads were taken while something runs, by transaction and in their order. */
async function takenHeads(work: () => Promise<void>): Promise<readonly (readonly string[])[]> {
  const transactions: string[][] = [];
  const underWay = new Map<unknown, string[]>();
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  assert.ok(typeof query === 'function');
  Reflect.set(pg.Client.prototype, 'query', function note(this: unknown, ...args: readonly unknown[]) {
    const { text = '', name, values = [] } = (args[0] ?? {}) as Partial<pg.QueryConfig>;
    if (text.startsWith('begin')) {
      const heads: string[] = [];
      underWay.set(this, heads);
      transactions.push(heads);
    }
    if (name === 'take_head') underWay.get(this)?.push(String(values[0]));
    return query.apply(this, args);
  });
  try {
    await work();
  } finally {
    Reflect.set(pg.Client.prototype, 'query', query);
  }
  return transactions;
}
