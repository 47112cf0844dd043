import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { systemClock } from '../../lib/clock.ts';
import { Unavailable } from '../port.ts';
import { put } from '../testing/conformance/bench.ts';
import { openPostgres } from './open-postgres.ts';
import { fakeCitus } from './testing/fake-citus.ts';
import { type OwnServer, startOwnServer, type TestServer, whyNotOwn } from './testing/test-server.ts';

const clock = systemClock;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const password = 'p%/w@o:r d?';

describe('a PostgreSQL store and what it may do', { skip: whyNotOwn }, () => {
  let server: OwnServer;
  let database: TestServer;
  before(async () => {
    server = await startOwnServer();
    database = await server.database('');
    await database.run(`create role tenant login password '${password}'`);
  });
  after(() => server.stop());
  const urlOf = (given: string, options = '') =>
    Object.assign(new URL(database.url), { username: 'tenant', password: encodeURIComponent(given) }).href + options;
  const open = (url: string) => openPostgres({ url, space: 'prod', clock });

  test('says who has to do what when its user may not make a schema', async () => {
    const refused = await failureOf(open(urlOf(password)));
    assert.ok(refused instanceof Unavailable);
    assert.match(inspect(refused), /permission denied for database .* \(SQLSTATE 42501\)/);
  });

  test('needs no right but that on a schema which it is given', async () => {
    await database.run('create schema freehold_prod authorization tenant');
    const { store } = await open(urlOf(password));
    assert.equal((await store.scope('s').commit([put('p', 'k')])).seq, 1);
    await store.close();
  });

  test('keeps the spaces of one database in schemas of their own, by the name that the address gives', async () => {
    await database.run('grant create on schema public to tenant; create schema mine_prod authorization tenant');
    const { store, maintenance } = await open(urlOf(password, '?schema=mine&application_name=node7'));
    assert.deepEqual(await maintenance.scopes(undefined, 5), []);
    const [row] = await database.run(
      `select count(*)::int as n from pg_stat_activity where application_name = 'node7'`,
    );
    assert.deepEqual(row, { n: 1 });
    await store.close();
  });

  test('never shows its password, whatever goes wrong', async () => {
    const wrong = 'wrong-sesame';
    const failures = [
      await failureOf(open(urlOf(wrong))),
      await failureOf(open(urlOf(wrong).replace(/:\d+\//, ':1/'))),
      await failureOf(open(urlOf(wrong, '?sslmode=verify-full'))),
      await failureOf(open(urlOf(wrong, '?colour=blue'))),
      await failureOf(open(urlOf(wrong, '?sslmode=verify-full&sslrootcert=/nowhere/ca.pem'))),
    ];
    for (const failure of failures) {
      assert.ok(failure instanceof Error);
      assert.doesNotMatch(inspect(failure, { depth: 20, showHidden: true }), /sesame|postgres:\/\//);
    }
    assert.match(inspect(failures[0]), /password authentication failed for user "tenant"/);
    assert.match(inspect(failures[2]), /does not support SSL/);
  });

  test('speaks TLS as the address asks for, and never with an unverified certificate', {
    skip: !hasOpenssl && 'not run: no openssl here to make a certificate',
  }, async () => {
    const certificate = join(server.data, 'server.crt');
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', join(server.data, 'server.key'), '-out'];
    execFileSync('openssl', [...made, certificate, ...names], { stdio: 'ignore' });
    const { uid, gid } = statSync(server.data);
    chownSync(join(server.data, 'server.key'), uid, gid);
    chmodSync(certificate, 0o644);
    await server.run('alter system set ssl = on');
    await server.run('select pg_reload_conf()');
    const byName = (options: string) => urlOf(password, options).replace('127.0.0.1', 'localhost');
    for (const url of [
      urlOf(password, '?sslmode=require'),
      urlOf(password, `?sslmode=verify-ca&sslrootcert=${certificate}`),
      byName(`?sslmode=verify-full&sslrootcert=${certificate}`),
    ]) {
      const { store } = await open(`${url}&application_name=secured`);
      await store.scope('s').commit([put('p', 'k')]);
      assert.deepEqual(await database.run(securedSessions), [{ ssl: true }]);
      await store.close();
    }
    for (const url of [
      byName('?sslmode=verify-full'),
      urlOf(password, '?sslmode=verify-ca'),
      urlOf(password, `?sslmode=verify-full&sslrootcert=${certificate}`),
    ])
      await assert.rejects(open(url), Unavailable);
  });

  test('refuses a database whose text is not UTF-8', async () => {
    await server.run(`create database ascii template template0 encoding 'SQL_ASCII'`);
    const url = server.url.replace(/\/postgres$/, '/ascii');
    await assert.rejects(open(url), /encoded in SQL_ASCII: make one that is encoded in UTF8/);
  });

  test('has Citus spread both tables by scope, side by side, when it makes them and not again', async () => {
    const citus = await server.database('');
    await citus.run(fakeCitus);
    const url = `${citus.url}?citus=true`;
    for (let start = 0; start < 2; start++) {
      const { store } = await open(url);
      assert.equal((await store.scope('s').commit([put('p', 'k')])).seq, start + 1);
      await store.close();
    }
    assert.deepEqual(await citus.run('select * from public.spread order by name'), [
      { name: 'freehold_prod.heads', by: 'scope', beside: 'none' },
      { name: 'freehold_prod.items', by: 'scope', beside: '"freehold_prod".heads' },
      { name: 'freehold_prod.schema_version', by: null, beside: null },
    ]);
    await citus.stop();
  });

  test('has Citus spread the tables once when several nodes start at once, and makes none where Citus refuses', async () => {
    const citus = await server.database('');
    await citus.run(fakeCitus);
    const url = `${citus.url}?citus=true`;
    const nodes = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    await Promise.all(nodes.map(({ store }) => store.close()));
    assert.deepEqual(await citus.run('select count(*)::int from public.spread'), [{ count: 3 }]);
    const without = await server.database('');
    await assert.rejects(open(`${without.url}?citus=true`), /the database has no extension `citus`/);
    await without.run(fakeCitus);
    await without.run('drop function pg_catalog.create_distributed_table');
    await assert.rejects(open(`${without.url}?citus=true`), /cannot be made or read/);
    assert.deepEqual(await without.run(`select nspname from pg_namespace where nspname like 'freehold%'`), []);
    for (const database of [citus, without]) await database.stop();
  });

  test('keeps every key and constraint of a spread table within one scope', async () => {
    const { store } = await open(urlOf(password));
    await store.close();
    const constraints = await database.run(constraintsOfTables);
    assert.deepEqual(constraints, [
      { table: 'heads', kind: 'p', columns: 'scope' },
      { table: 'items', kind: 'p', columns: 'scope,pk,sk' },
    ]);
  });
});

/** Citus takes a key or a unique index only with the column by which a table is spread in it. */
const constraintsOfTables = `
  select relname as table, contype as kind,
    (select string_agg(attname, ',' order by place) from unnest(conkey) with ordinality as key (number, place)
      join pg_attribute on attrelid = conrelid and attnum = number) as columns
  from pg_constraint join pg_class on pg_class.oid = conrelid join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = 'freehold_prod' and relname in ('heads', 'items') and contype <> 'n' order by relname, contype`;

const securedSessions = `
  select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'secured'`;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
