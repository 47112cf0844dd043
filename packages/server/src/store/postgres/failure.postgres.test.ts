import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import pg from 'pg';
import { NoConnectionLeft, OutcomeUnknown, type Scope, type Store, Unavailable } from '../port.ts';
import { add, append, getOne, put, TestClock } from '../testing/conformance/bench.ts';
import { explainStoreFailure } from '../transact.ts';
import { openPostgres } from './open-postgres.ts';
import { type CuttingProxy, startCuttingProxy } from './testing/cutting-proxy.ts';
import { eventually } from './testing/eventually.ts';
import { type OwnServer, startOwnServer, whyNotOwn } from './testing/test-server.ts';

const clock = new TestClock();

describe('PostgreSQL that fails', { skip: whyNotOwn }, () => {
  let server: OwnServer;
  let proxy: CuttingProxy;
  let spaces = 0;
  before(async () => {
    server = await startOwnServer();
    proxy = await startCuttingProxy(server.url);
    await server.run(`create role narrow login password 'narrow'; grant create on database postgres to narrow`);
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  const open = (url: string) => openPostgres({ url, space: `fail_${++spaces}`, clock });
  /** Of a user who is no superuser, whose sessions are bounded as others are. */
  const narrowUrl = () => Object.assign(new URL(server.url), { username: 'narrow', password: 'narrow' }).href;
  const schema = () => `freehold_fail_${spaces}`;

  test('holds what it acknowledged when it is killed, the rest whole or not at all, and serves again by itself', async () => {
    const opened = await open(server.url);
    const scopes = ['a', 'b', 'c'].map((name) => opened.store.scope(name));
    const acknowledged = await writeUntilKilled(scopes, server);
    for (const scope of scopes) {
      await assert.rejects(scope.commit([put('p', 'down')]), Unavailable);
      await assert.rejects(scope.get([{ pk: 'p', sk: 'down' }]), Unavailable);
    }
    assert.equal((await opened.store.health()).ok, false);
    await server.start();
    for (const [index, scope] of scopes.entries()) await assertWhole(scope, acknowledged[index] ?? new Set());
    assert.deepEqual(await opened.store.health(), { ok: true, kind: 'postgres', synchronous: 'full' });
    await opened.store.close();
  });

  test('does not know how a commit ended whose answer was lost, and does not make it again', async () => {
    const opened = await open(proxy.url);
    const scope = opened.store.scope('s');
    await scope.commit([add('c', 'n', 1)]);
    // With the length of the message before it: a setting of new sessions ends with the same letters.
    proxy.cutAt('\x0bcommit\0', { answer: 'COMMIT' });
    await assert.rejects(scope.commit([add('c', 'n', 1)]), OutcomeUnknown);
    assert.equal((await getOne(scope, 'c', 'n'))?.value, '2');
    proxy.cutAt('\x0bcommit\0', 'before');
    await assert.rejects(scope.commit([add('c', 'n', 1)]), OutcomeUnknown);
    assert.equal((await getOne(scope, 'c', 'n'))?.value, '2');
    assert.deepEqual(await scope.commit([add('c', 'n', 1)]), { seq: 3, sums: [3] });
    await opened.store.close();
  });

  test('makes a group again that was lost before its commit was sent, and reads again what was lost on its way', async () => {
    const opened = await open(proxy.url);
    const scope = opened.store.scope('s');
    await scope.commit([add('c', 'n', 1)]);
    await getOne(scope, 'c', 'n');
    const { cuts } = proxy;
    for (const when of ['before', { answer: 'BEGIN' }] as const) {
      proxy.cutAt('begin isolation', when);
      await scope.commit([add('c', 'n', 1)]);
    }
    proxy.cutAt('get_one', 'before');
    assert.equal((await getOne(scope, 'c', 'n'))?.value, '3');
    assert.equal(proxy.cuts, cuts + 3);
    await opened.store.close();
  });

  test('makes a group again that was lost while its connection was opened, and stores nothing where none can be', async () => {
    const opened = await open(proxy.url);
    const scope = opened.store.scope('s');
    await scope.commit([add('c', 'n', 1)]);
    await server.run(endSessions);
    const { cuts } = proxy;
    proxy.cutAt('pg_try_advisory_lock', 'before');
    assert.deepEqual(await scope.commit([add('c', 'n', 1)]), { seq: 2, sums: [2] });
    assert.equal(proxy.cuts, cuts + 1);
    await server.run(`alter table "${schema()}".schema_version rename to elsewhere`);
    await server.run(endSessions);
    const refused = await failureOf(scope.commit([add('c', 'n', 1)]));
    assert.ok(refused instanceof Unavailable, inspect(refused));
    await assert.rejects(getOne(scope, 'c', 'n'), Unavailable);
    assert.equal((await opened.store.health()).ok, false);
    await server.run(`alter table "${schema()}".elsewhere rename to schema_version`);
    assert.deepEqual(await scope.commit([add('c', 'n', 1)]), { seq: 3, sums: [3] });
    await opened.store.close();
  });

  test('goes on when the operator ends its sessions, idle or waiting for a lock', async () => {
    const opened = await open(server.url);
    const scope = opened.store.scope('s');
    await scope.commit([add('c', 'n', 1)]);
    await getOne(scope, 'c', 'n');
    await server.run(endSessions);
    assert.deepEqual(await scope.commit([add('c', 'n', 1)]), { seq: 2, sums: [2] });
    assert.equal((await getOne(scope, 'c', 'n'))?.value, '2');

    const holder = new pg.Client({ connectionString: server.url });
    await holder.connect();
    await holder.query(`begin; select 1 from "${schema()}".heads where scope = 's' for update`);
    const committing = scope.commit([add('c', 'n', 1)]);
    await holder.query(endTheOneThatWaits);
    await holder.query('commit');
    await holder.end();
    assert.deepEqual(await committing, { seq: 3, sums: [3] });
    await opened.store.close();
  });

  test('makes a group again that the server rolled back for another, be it at a write or at the commit', async () => {
    const opened = await open(server.url);
    const scope = opened.store.scope('s');
    await scope.commit([add('c', 'n', 1)]);
    for (const [errcode, timing] of [
      ['40001', 'deferrable initially immediate'],
      ['40P01', 'deferrable initially immediate'],
      ['40001', 'deferrable initially deferred'],
    ] as const) {
      await server.run(failingTrigger(schema(), { errcode, timing, times: 2 }));
      const before = Number((await getOne(scope, 'c', 'n'))?.value);
      assert.deepEqual((await scope.commit([add('c', 'n', 1)])).sums, [before + 1]);
    }
    await opened.store.close();
  });

  test('stores nothing of a group of which the server refused a write, and takes the next', async () => {
    const opened = await open(server.url);
    const scope = opened.store.scope('s');
    await scope.commit([put('p', 'a')]);
    await server.run(failingTrigger(schema(), { errcode: '53100', timing: 'deferrable', times: 1 }));
    const refused = await failureOf(scope.commit([put('p', 'b'), put('p', 'c')]));
    assert.ok(refused instanceof Unavailable);
    assert.match(inspect(refused), /planted \(SQLSTATE 53100\)/);
    assert.equal(await scope.count('p', {}, 10), 1);
    assert.equal((await scope.commit([put('p', 'b')])).seq, 2);
    await opened.store.close();
  });

  test('takes no commits where the server takes none, and names it', async () => {
    const opened = await open(server.url);
    const scope = opened.store.scope('s');
    await scope.commit([put('p', 'a')]);
    await change(server, 'set default_transaction_read_only = on');
    await server.run(endSessions);
    const refused = await failureOf(scope.commit([put('p', 'b')]));
    assert.ok(refused instanceof Unavailable);
    assert.match(inspect(refused), /read-only transaction \(SQLSTATE 25006\)/);
    await assertTakesNoWrites(opened.store);
    await change(server, 'reset default_transaction_read_only');
    assert.equal((await scope.commit([put('p', 'b')])).seq, 2);
    await opened.store.close();
  });

  test('is not well where the next session of the user takes no writes', async () => {
    const opened = await open(narrowUrl());
    await opened.store.scope('s').commit([put('p', 'a')]);
    await server.run('alter role narrow set default_transaction_read_only = true');
    await assertTakesNoWrites(opened.store);
    // The setting of the user in this database goes before that.
    await server.run('alter role narrow in database postgres set default_transaction_read_only = off');
    assert.equal((await opened.store.health()).ok, true);
    await server.run('alter role narrow in database postgres reset all');
    await server.run('alter role narrow reset all');
    assert.equal((await opened.store.health()).ok, true);
    await opened.store.close();
  });

  test('says that the server has no connection left, and serves again when it has', async () => {
    const url = narrowUrl();
    const opened = await open(url);
    const scope = opened.store.scope('s');
    await scope.commit([put('p', 'a')]);
    await server.run('alter role narrow connection limit 0');
    await server.run(endSessions);
    for (const call of [() => scope.commit([put('p', 'b')]), () => getOne(scope, 'p', 'a'), () => open(url)]) {
      const refused = await failureOf(call());
      assert.ok(refused instanceof NoConnectionLeft);
      assert.match(inspect(refused), /takes no more connections: raise its `max_connections`.*SQLSTATE 53300/s);
      assert.match(explainStoreFailure(refused)?.message ?? '', /takes no more connections/);
    }
    const { ok, fault = '' } = await opened.store.health();
    assert.equal(ok, false);
    assert.match(fault, /takes no more connections/);
    await server.run('alter role narrow connection limit -1');
    assert.equal((await scope.commit([put('p', 'b')])).seq, 2);
    await opened.store.close();
  });

  test('refuses a standby, and is served again when the writer is back', async () => {
    const opened = await open(server.url);
    const scope = opened.store.scope('s');
    await scope.commit([put('p', 'a')]);
    await server.shutDown();
    writeFileSync(join(server.data, 'standby.signal'), '');
    await server.start();
    await assert.rejects(scope.commit([put('p', 'b')]), /standby, which takes no writes: point at the writer/);
    await assert.rejects(scope.get([{ pk: 'p', sk: 'a' }]), /standby/);
    assert.equal((await opened.store.health()).ok, false);
    await server.shutDown();
    rmSync(join(server.data, 'standby.signal'));
    await server.start();
    assert.equal((await scope.commit([put('p', 'b')])).seq, 2);
    await opened.store.close();
  });

  test('is not well while the server does not sync its files', async () => {
    await change(server, 'set fsync = off');
    const opened = await open(server.url);
    const fault = 'the PostgreSQL server may lose writes: `fsync` or `full_page_writes` is off';
    assert.deepEqual(await opened.store.health(), { ok: false, fault, kind: 'postgres', synchronous: 'none' });
    await change(server, 'reset fsync');
    assert.deepEqual(await opened.store.health(), { ok: true, kind: 'postgres', synchronous: 'full' });
    await opened.store.close();
  });

  test('waits for the disk whatever the server, the database or the user is set to', async () => {
    await server.run('alter role owner set synchronous_commit = off');
    const opened = await open(server.url);
    await opened.store.scope('s').commit([put('p', 'a')]);
    assert.equal((await opened.store.health()).ok, true);
    await server.run('alter role owner reset synchronous_commit');
    await opened.store.close();
  });
});

/**
 * Changes a setting of the server for all sessions. The answer to `pg_reload_conf()` comes before they are asked to read
 * the settings again; a new session has them once all others have been asked, which do so before their next statement.
 */
async function change(server: OwnServer, what: string): Promise<void> {
  const [, name = ''] = what.split(' ');
  const shown = async () => (await server.run(`show ${name}`))[0]?.[name];
  const before = await shown();
  await server.run(`alter system ${what}`);
  await server.run('select pg_reload_conf()');
  await eventually(`another ${name}`, async () => (await shown()) !== before);
}

async function assertTakesNoWrites(store: Pick<Store, 'health'>): Promise<void> {
  const { ok, fault } = await store.health();
  assert.deepEqual(
    [ok, fault],
    [false, 'the PostgreSQL server takes no writes: `default_transaction_read_only` is on'],
  );
}

const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'freehold'`;

const endTheOneThatWaits = `
  do $$ begin
    for tries in 1..10000 loop
      exit when exists (select 1 from pg_stat_activity where wait_event_type = 'Lock');
      perform pg_sleep(0.01);
      perform pg_stat_clear_snapshot();
    end loop;
    perform pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock';
  end $$`;

interface PlantedFailure {
  readonly errcode: string;
  readonly timing: string;
  readonly times: number;
}

/** The server refuses the next few writes of a head. */
function failingTrigger(schema: string, { errcode, timing, times }: PlantedFailure): string {
  return `
    drop trigger if exists planted on "${schema}".heads;
    drop sequence if exists "${schema}".planted_times;
    create sequence "${schema}".planted_times;
    create or replace function "${schema}".planted() returns trigger language plpgsql as $$ begin
      if nextval('"${schema}".planted_times') <= ${times} then raise 'planted' using errcode = '${errcode}'; end if;
      return null;
    end $$;
    create constraint trigger planted after update on "${schema}".heads ${timing}
      for each row execute function "${schema}".planted();`;
}

/** Commits to all scopes at once, kills the server in the middle, and tells which commits each scope acknowledged. */
async function writeUntilKilled(scopes: readonly Scope[], server: OwnServer): Promise<readonly Set<string>[]> {
  const acknowledged = scopes.map(() => new Set<string>());
  const { promise: isUnderWay, resolve: underWay } = Promise.withResolvers<void>();
  const writers = scopes.flatMap((scope, index) =>
    Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; ; round++) {
        const name = `${writer}-${round}`;
        try {
          await scope.commit([put('p', name), append('log', name), add('c', 'n', 1)]);
        } catch (error) {
          assert.ok(error instanceof OutcomeUnknown || error instanceof Unavailable, inspect(error));
          return;
        }
        acknowledged[index]?.add(name);
        if (acknowledged.every(({ size }) => size > 20)) underWay();
      }
    }),
  );
  await isUnderWay;
  await server.kill();
  await Promise.all(writers);
  return acknowledged;
}

async function assertWhole(scope: Scope, acknowledged: ReadonlySet<string>): Promise<void> {
  const records = await scope.range('p', { limit: 100_000 });
  const log = await scope.range('log', { limit: 100_000 });
  assert.deepEqual(new Set(log.map(({ value }) => value)), new Set(records.map(({ sk }) => sk)));
  assert.deepEqual(
    log.map(({ version }) => version),
    log.map((_, index) => index + 1),
  );
  assert.equal((await getOne(scope, 'c', 'n'))?.value, String(log.length));
  const kept = new Set(records.map(({ sk }) => sk));
  assert.ok(acknowledged.size > 20);
  assert.deepEqual(
    [...acknowledged].filter((name) => !kept.has(name)),
    [],
  );
  assert.equal((await scope.commit([add('c', 'n', 1)])).seq, log.length + 1);
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
