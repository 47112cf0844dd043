import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { assertListsLostHeads, writeScopes } from '../testing/conformance/lost-heads.ts';
import { openPostgres } from './open-postgres.ts';
import { startTestServer, whyNot } from './testing/test-server.ts';

test('a scope whose head was removed from a schema is listed all the same, and in its place', {
  skip: whyNot,
}, async (t) => {
  const server = await startTestServer();
  const database = await server.database('');
  t.after(async () => {
    await database.stop();
    await server.stop();
  });
  const opened = await openPostgres({ url: database.url, space: 'test', clock: systemClock });
  t.after(() => opened.store.close());
  await writeScopes(opened);
  await database.run(`delete from freehold_test.heads where scope like 'lost%'`);
  await database.run(`delete from freehold_test.items where scope = 'lost#index' and target_pk is null`);
  const [left] = await database.run('select count(*)::int as heads from freehold_test.heads');
  assert.deepEqual(left, { heads: 3 });
  await assertListsLostHeads(opened);
});
