import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { snapshotFiles } from './online-copy.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { failOnFatal, type TemporaryDirectory, temporaryDirectory } from './sqlite/testing/temporary-store.ts';
import { append } from './testing/conformance/bench.ts';

const value = 'x'.repeat(1_000_000);

async function filled(context: TestContext, { storePath }: TemporaryDirectory, commits: number) {
  const { store } = await openSqlite({ path: storePath, clock: systemClock, onFatal: failOnFatal });
  context.after(() => store.close());
  const scope = store.scope('s');
  for (let index = 0; index < commits; index++) await scope.commit([append('log', value)]);
  return () => scope.commit([append('log', 'small')]);
}

test('a copy in several steps holds its moment, whatever is committed between them, and no commit waits for it', async (t) => {
  using directory = temporaryDirectory();
  const write = await filled(t, directory, 40);
  const [snapshot] = snapshotFiles([directory.storePath]);
  assert.ok(snapshot !== undefined);
  let isCopied = false;
  const copying = snapshot.copyTo(`${directory.storePath}.copy`).finally(() => {
    isCopied = true;
  });
  let during = 0;
  // Small ones, so that the log is not too long for the copy however many there are.
  while (!isCopied) {
    await write();
    if (!isCopied) during += 1;
  }
  await copying;
  snapshot.close();
  snapshot.close();
  using copy = new DatabaseSync(`${directory.storePath}.copy`);
  assert.equal(copy.prepare('select count(*) as n from items').get()?.n, 40);
  assert.equal(copy.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
  assert.ok(during > 0);
});

test('a copy gives way before the log that it holds gets so long that commits would be refused', async (t) => {
  using directory = temporaryDirectory();
  const write = await filled(t, directory, 20);
  const [snapshot] = snapshotFiles([directory.storePath]);
  assert.ok(snapshot !== undefined);
  // Zeros behind the frames are no frames, and take no room on the disk.
  truncateSync(`${directory.storePath}-wal`, 400 * 1024 * 1024);
  await assert.rejects(
    snapshot.copyTo(`${directory.storePath}.copy`),
    /the platform writes too much for an online copy/,
  );
  snapshot.close();
  await write();
});
