import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../lib/clock.ts';
import { put } from '../testing/conformance/bench.ts';
import { assertListsLostHeads, writeScopes } from '../testing/conformance/lost-heads.ts';
import { openPostgres } from './open-postgres.ts';
import { startTestServer, whyNot } from './testing/test-server.ts';

test('a scope whose head was removed from a schema is listed all the same, and in its place', {
  skip: whyNot,
}, async (t) => {
  const { opened, database } = await openEmpty(t);
  await writeScopes(opened);
  await database.run(`delete from freehold_test.heads where scope like 'lost%'`);
  await database.run(`delete from freehold_test.items where scope = 'lost#index' and target_pk is null`);
  const [left] = await database.run('select count(*)::int as heads from freehold_test.heads');
  assert.deepEqual(left, { heads: 3 });
  await assertListsLostHeads(opened);
});

test('a page of scopes costs two statements, however many scopes it has', { skip: whyNot }, async (t) => {
  const { opened } = await openEmpty(t);
  const names = Array.from({ length: 50 }, (_, index) => `s${100 + index}`);
  await Promise.all(names.map((name) => opened.store.scope(name).commit([put('p', 'k')])));
  await opened.maintenance.scopes(undefined, 1);
  const sent = t.mock.method(pg.Client.prototype, 'query');
  assert.deepEqual(
    (await opened.maintenance.scopes(undefined, 100)).map(({ name }) => name),
    names,
  );
  assert.equal(sent.mock.callCount(), 2);
});

async function openEmpty(t: TestContext) {
  const server = await startTestServer();
  const database = await server.database('');
  t.after(async () => {
    await database.stop();
    await server.stop();
  });
  const opened = await openPostgres({ url: database.url, space: 'test', clock: systemClock });
  t.after(() => opened.store.close());
  return { opened, database };
}
