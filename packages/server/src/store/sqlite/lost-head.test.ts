import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { assertListsLostHeads, writeScopes } from '../testing/conformance/lost-heads.ts';
import { openSqlite } from './open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from './testing/temporary-store.ts';

test('a scope whose head was removed from a file is listed all the same, and in its place', async () => {
  using directory = temporaryDirectory();
  const open = () => openSqlite({ path: directory.storePath, clock: systemClock, onFatal: failOnFatal });
  const first = await open();
  await writeScopes(first);
  await first.store.close();
  using database = new DatabaseSync(directory.storePath);
  assert.equal(database.prepare(`delete from heads where scope like 'lost%'`).run().changes, 3);
  database.prepare(`delete from items where scope = 'lost#index'`).run();
  const again = await open();
  await assertListsLostHeads(again).finally(() => again.store.close());
});
