import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../lib/clock.ts';
import type { OpenedStore } from '../port.ts';
import { append, put } from '../testing/conformance/bench.ts';
import { openSqlite } from './open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from './testing/temporary-store.ts';

describe('a SQLite store and its processes', () => {
  test('is open once in a process, under any name of its file', async () => {
    using directory = temporaryDirectory();
    const { store } = await open(directory.storePath);
    const otherName = join(dirname(directory.storePath), 'other.db');
    symlinkSync(directory.storePath, otherName);
    await assert.rejects(open(directory.storePath), /is open already: one process at a time can use it/);
    await assert.rejects(open(otherName), /is open already/);
    // A refused opening must not have loosened the lock of the first.
    await assert.rejects(open(directory.storePath), /is open already/);
    await store.close();
    const again = await open(otherName);
    await again.store.close();
  });

  test('holds every acknowledged commit of a process that was killed, and its lock dies with it', async () => {
    using directory = temporaryDirectory();
    for (let round = 1; round <= 2; round++) {
      const { child, acknowledged } = await killAfter(100, directory.storePath);
      assert.equal(child.signalCode, 'SIGKILL');
      const { store, maintenance } = await open(directory.storePath);
      const items = await store.scope('acknowledged').range('log', { limit: 1_000_000 });
      const versions = items.map((item) => item.version);
      assert.deepEqual(
        versions,
        versions.map((_, index) => index + 1),
      );
      assert.ok(versions.length >= acknowledged, `${versions.length} of ${acknowledged} commits are left`);
      const [head] = await maintenance.scopes(undefined, 1);
      assert.equal(head?.seq, versions.length);
      await store.close();
    }
  });

  test('does not acknowledge a commit whose write fails, and ends for good', {
    skip: process.platform === 'win32',
  }, async () => {
    using directory = temporaryDirectory();
    // The system refuses every write beyond a megabyte of a file: to SQLite an I/O error, in the middle of a commit.
    const limit = 'trap "" XFSZ; ulimit -f 2000; exec "$@"';
    const program = fileURLToPath(new URL('./testing/filling-process.ts', import.meta.url));
    const command = [process.execPath, program, directory.storePath];
    const child = spawn('sh', ['-c', limit, 'sh', ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    const seen = JSON.parse(await text(child.stdout));
    const { acknowledged, ...outcome } = seen;
    assert.deepEqual(outcome, {
      error: 'OutcomeUnknown',
      next: 'Unavailable',
      fatal: ['OutcomeUnknown'],
      isWell: false,
    });
    const { store } = await open(directory.storePath);
    const kept = await store.scope('acknowledged').count('log', {}, 1_000_000);
    assert.ok(acknowledged > 0 && kept >= acknowledged, `${kept} of ${acknowledged} commits are left`);
    await store.close();
  });

  test('keeps its files to their owner', async () => {
    using directory = temporaryDirectory();
    const { store } = await open(directory.storePath);
    await store.scope('s').commit([put('p', 'k')]);
    const files = readdirSync(dirname(directory.storePath));
    assert.deepEqual(files.toSorted(), ['store.db', 'store.db-shm', 'store.db-wal', 'store.db.lock']);
    for (const file of files)
      assert.equal(statSync(join(dirname(directory.storePath), file)).mode & 0o777, 0o600, file);
    await store.close();
    assert.deepEqual(readdirSync(dirname(directory.storePath)).toSorted(), ['store.db', 'store.db.lock']);
  });

  test('keeps its write-ahead log short while it is written to and read from', async () => {
    using directory = temporaryDirectory();
    const { store } = await open(directory.storePath);
    const scope = store.scope('s');
    const value = 'x'.repeat(16 * 1024);
    for (let round = 0; round < 40; round++) {
      await Promise.all(Array.from({ length: 40 }, () => scope.commit([append('log', value)])));
      await scope.range('log', { limit: 10, reverse: true });
    }
    const megabytes = statSync(`${directory.storePath}-wal`).size / 1024 / 1024;
    assert.ok(megabytes < 10, `the log has ${megabytes} MB`);
    await store.close();
  });
});

function open(path: string): Promise<OpenedStore> {
  return openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
}

/** Lets another process commit, and kills it when it has acknowledged so many commits; while it lives, it has the lock. */
async function killAfter(commits: number, path: string): Promise<{ child: ChildProcess; acknowledged: number }> {
  const program = fileURLToPath(new URL('./testing/holding-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let acknowledged = 0;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Math.max(acknowledged, Number(line));
    if (lines === 0) await assert.rejects(open(path), /is open already/);
    if (child.killed || ++lines < commits) continue;
    child.kill('SIGKILL');
  }
  await ended;
  return { child, acknowledged };
}
