import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { Problem } from '../../../lib/problem.ts';
import { always, type Where } from '../../../lib/where.ts';
import {
  type MeasureRead,
  type OpenedStore,
  type Scope,
  type Selected,
  type SelectRead,
  Unavailable,
} from '../../port.ts';
import { measureByReading, selectByReading } from '../../read-where.ts';
import { put, putIndex } from '../../testing/conformance/bench.ts';
import { parseAddress } from '../address.ts';
import { Connection } from '../connections/connection.ts';
import { openPostgres } from '../open-postgres.ts';
import { eventually } from '../testing/eventually.ts';
import { boundedMeasure, boundedSelect, openLongReads } from '../testing/long-reads-alone.ts';
import { namesOneScope, sentWhile } from '../testing/sent-statements.ts';
import { startTestServer, type TestServer, whyNot } from '../testing/test-server.ts';

const count = { group: [], measures: [{ kind: 'count' }], rowsMax: 100_000, groupsMax: 100 } as const;
const isEven: Where = { kind: 'compare', operator: 'eq', path: ['half'], type: 'text', value: 'even' };

describe('long reads of PostgreSQL', { skip: whyNot }, () => {
  const space = `long_${process.pid}`;
  const schema = `freehold_${space}`;
  let server: TestServer;
  let opened: OpenedStore;
  /** 1,000 records. */
  let scope: Scope;
  before(async () => {
    server = await startTestServer();
    opened = await openPostgres({ url: server.url, space, clock: systemClock });
    scope = await filled('org-w', 1000);
  });
  after(async () => {
    await opened.store.close();
    await server.run(`drop schema "${schema}" cascade`);
    await server.stop();
  });

  const filled = async (name: string, records: number, more: readonly string[] = []): Promise<Scope> => {
    const made = opened.store.scope(name);
    const values = Array.from({ length: records }, (_, index) =>
      JSON.stringify({ half: index % 2 === 0 ? 'even' : 'odd', index }),
    );
    await made.commit(
      [...values, ...more].flatMap((value, index) => [
        put('records', `k${String(index).padStart(4, '0')}`, { value }),
        putIndex(
          'index#records',
          `i${String(index).padStart(4, '0')}`,
          'records',
          `k${String(index).padStart(4, '0')}`,
        ),
      ]),
    );
    return made;
  };
  const counted = async (of: Scope, where: Where) =>
    (await of.measure('records', { ...count, where })).groups[0]?.results[0];

  test('send statements that name one scope for each table, read by keys, and sort nothing to select', async (t) => {
    const small = openLongReads(server.url, space, { rowsMin: 100, rowsMax: 200, milliseconds: 10_000 });
    t.after(() => small.close());
    const sent = await sentWhile(async () => {
      for (const pk of ['records', 'index#records'])
        for (const reverse of [false, true]) {
          const select: SelectRead = { where: isEven, limit: 400, rowsMax: 600, reverse };
          assert.equal((await small.reads.select('org-w', boundedSelect(pk, select), 0)).entries.length, 300);
          const read = { ...count, where: isEven, reverse, group: [{ path: ['half'], type: 'text' }] } as const;
          await small.reads.measure('org-w', boundedMeasure(pk, read), 0);
        }
    });
    // Each second the server is also asked whether it answers.
    const ofTables = sent.filter((sql) => sql.includes(`"${schema}".items`));
    assert.equal(ofTables.length, 8);
    const connection = await Connection.open(parseAddress(server.url), { statement: 5000, lock: 5000 });
    t.after(() => connection.end());
    for (const [index, sql] of ofTables.entries()) {
      assert.ok(namesOneScope(sql), sql);
      await connection.send({ text: `prepare explained_${index} as ${sql}` });
      const parameters = Math.max(...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
      const values = Array.from({ length: parameters }, () => 'null').join(', ');
      const { rows } = await connection.send<readonly [string]>({
        text: `explain execute explained_${index}(${values})`,
      });
      const plan = rows.map(([line]) => line).join('\n');
      assert.doesNotMatch(plan, /Seq Scan on items|Bitmap|Hash Join|Merge|Materialize/, `${sql}\n${plan}`);
      if (!sql.includes('group by')) assert.doesNotMatch(plan, /Sort/, `${sql}\n${plan}`);
    }
  });

  test('see one snapshot, however many windows they have', async (t) => {
    const before = await filled('snapshot-w', 600);
    const small = openLongReads(server.url, space, { rowsMin: 50, rowsMax: 50, milliseconds: 10_000 });
    t.after(() => small.close());
    const read = { where: always, limit: 10_000, rowsMax: 10_000 };
    const pending = small.reads.select('snapshot-w', boundedSelect('records', read), 0);
    const changed = { value: '{"half":"changed"}' };
    let isOver = false;
    const writing = (async () => {
      for (let at = 0; !isOver; at++)
        await before.commit([
          put('records', 'k0000', changed),
          put('records', 'k0599', changed),
          put('records', `k1${at}`, changed),
        ]);
    })();
    const { entries, rows } = await pending.finally(() => {
      isOver = true;
    });
    await writing;
    assert.equal(rows, entries.length);
    const versions = ['k0000', 'k0599'].map((sk) => entries.find((entry) => entry.sk === sk)?.version);
    assert.equal(versions[0], versions[1]);
  });

  test('end by time where they take too long, and go on behind', async (t) => {
    const short = openLongReads(server.url, space, { rowsMin: 100, rowsMax: 100, milliseconds: 0 });
    t.after(() => short.close());
    const found: Selected[] = [];
    for (let after: string | undefined; found.length === 0 || after !== undefined; ) {
      const read: SelectRead = { where: isEven, limit: 1000, rowsMax: 1000, ...(after === undefined ? {} : { after }) };
      const part: Selected = await short.reads.select('org-w', boundedSelect('records', read), 0);
      found.push(part);
      after = part.next;
      if (after !== undefined) assert.equal(part.endedBy, 'time');
    }
    // Ten windows, and one with nothing behind them.
    assert.equal(found.length, 11);
    assert.equal(found.flatMap(({ entries }) => entries).length, 500);
  });

  test('judge values that no statement can read as reading does', async () => {
    const odd = ['{"half":"even","x":1e200000}', `{"half":"even","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`];
    const escaped = ['{"half":"ev\\u0065n"}', '{"half":"even\\u0000"}', '{"half":"even","x":"\\ud800"}'];
    const mixed = await filled('odd-w', 700, [...odd, ...escaped]);
    for (const where of [always, isEven, { kind: 'not', part: isEven } as const]) {
      const read: MeasureRead = { ...count, where, group: [{ path: ['half'], type: 'text' }] };
      const byKey = ({ groups }: { readonly groups: readonly { readonly key: readonly unknown[] }[] }) =>
        groups.toSorted((left, right) => (String(left.key) < String(right.key) ? -1 : 1));
      assert.deepEqual(
        byKey(await mixed.measure('records', read)),
        byKey(await measureByReading(mixed, 'records', read)),
      );
      const select = { where, limit: 1000, rowsMax: 1000 };
      assert.deepEqual(await mixed.select('records', select), await selectByReading(mixed, 'records', select));
    }
    const broken = await filled('broken-w', 300, ['no JSON']);
    const where = { kind: 'present', path: ['half'] } as const;
    await assert.rejects(broken.select('records', { where, limit: 1000, rowsMax: 100_000 }), SyntaxError);
    assert.deepEqual(await counted(mixed, isEven), { kind: 'count', count: 354 });
  });

  test('end with the reason of a signal, also before their turn', async () => {
    const reason = new Error('the caller left');
    const read = { ...count, where: isEven };
    await assert.rejects(scope.measure('records', { ...read, signal: AbortSignal.abort(reason) }), reason);
    const controllers = Array.from({ length: 3 }, () => new AbortController());
    const pending = controllers.map(({ signal }) => scope.measure('records', { ...read, signal }));
    const outcomes = Promise.allSettled(pending);
    controllers[2]?.abort(reason);
    const [first, second, third] = await outcomes;
    assert.deepEqual([first?.status, second?.status], ['fulfilled', 'fulfilled']);
    assert.ok(third?.status === 'rejected' && third.reason === reason);
    assert.deepEqual(await counted(scope, isEven), { kind: 'count', count: 500 });
  });

  test('of a store that is closed end, whether they wait or not, and open no connection again', async () => {
    for (const name of ['first-w', 'second-w', 'third-w', 'fourth-w']) await filled(name, 400);
    const sessions = async () => {
      const [row] = await server.run(`select count(*) as n from pg_stat_activity where query like '%"${schema}"%'
        or query like 'rollback%'`);
      return Number(row?.n);
    };
    const before = await sessions();
    const own = await openPostgres({ url: server.url, space, clock: systemClock });
    const names = ['first-w', 'second-w', 'third-w', 'fourth-w'];
    await Promise.all(names.map((name) => counted(own.store.scope(name), isEven)));
    const reads = Promise.allSettled(names.flatMap((name) => [1, 2].map(() => counted(own.store.scope(name), isEven))));
    await counted(own.store.scope('org-w'), always);
    await own.store.close();
    for (const outcome of await reads)
      assert.ok(outcome.status === 'fulfilled' || outcome.reason instanceof Unavailable, `${outcome.status}`);
    await assert.rejects(counted(own.store.scope('org-w'), isEven), Unavailable);
    await eventually('the end of the sessions', async () => (await sessions()) <= before);
  });

  test('of one owner are one at a time: twenty wait, further ones are refused, and those of others go on', async () => {
    const neighbour = await filled('other-w', 400);
    const pending = Array.from({ length: 30 }, () => counted(scope, isEven));
    const other = counted(neighbour, isEven);
    const outcomes = await Promise.allSettled(pending);
    const refused = outcomes.filter((one) => one.status === 'rejected');
    // Fewer than nine where the first ones have ended before the last ones come.
    assert.ok(refused.length > 0 && refused.length <= 9, `${refused.length}`);
    for (const { reason } of refused) assert.ok(reason instanceof Problem && /try again/.test(reason.message));
    assert.deepEqual(await other, { kind: 'count', count: 200 });
  });

  test('are made again where their session is ended, and leave no transaction open', async () => {
    await counted(scope, isEven);
    const [ended] = await server.run(
      `select count(pg_terminate_backend(pid)) as sessions from pg_stat_activity
       where pid <> pg_backend_pid() and datname = current_database() and query like 'rollback%'`,
    );
    assert.ok(Number(ended?.sessions) > 0);
    assert.deepEqual(await counted(scope, isEven), { kind: 'count', count: 500 });
    const idle = await server.run(
      `select query from pg_stat_activity where state like 'idle in transaction%' and query like '%"${schema}"%'`,
    );
    assert.deepEqual(idle, []);
  });
});
