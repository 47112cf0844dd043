/** Long reads beside writes without an end: the log has its bound, and no commit is refused. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../lib/clock.ts';
import type { Where } from '../../../lib/where.ts';
import { type Change, type Scope, Unavailable } from '../../port.ts';
import { fill, put } from '../../testing/conformance/bench.ts';
import { isLong } from '../../testing/quick.ts';
import { openSqlite } from '../open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from '../testing/temporary-store.ts';

const seconds = isLong ? 600 : 20;
const logBytesMax = 128 * 1024 * 1024;
const records = 60_000;
const text = 'x'.repeat(400);
/** So many keys are written again and again. */
const written = 2_000;

const where: Where = { kind: 'contains', path: ['text'], value: 'y' };

test(`the log has its bound and takes every commit, beside ${seconds} s of full writes and scans without an end`, {
  timeout: 2 * seconds * 1000 + 120_000,
}, async (context) => {
  using directory = temporaryDirectory();
  const { store } = await openSqlite({ path: directory.storePath, clock: systemClock, onFatal: failOnFatal });
  const scopes = ['one-a', 'two-a', 'three-a', 'four-a'].map((name) => store.scope(name));
  const values = Array.from({ length: records }, (_, at) =>
    put('p', `k${at}`, { value: JSON.stringify({ text, at }) }),
  );
  for (const scope of scopes.slice(0, 3)) await fill(scope, values);
  const end = performance.now() + seconds * 1000;
  const isOver = (): boolean => performance.now() >= end;
  const seen = { commits: 0, scans: 0, refused: 0, logBytes: 0 };

  const write = async (scope: Scope, writer: number): Promise<void> => {
    for (let turn = 0; !isOver(); turn++) {
      const changes = Array.from({ length: 50 }, (_, at): Change => {
        return put('w', `${writer}-${(50 * turn + at) % written}`, { value: JSON.stringify({ text, turn }) });
      });
      await scope.commit(changes);
      seen.commits += 1;
    }
  };
  const scan = async (scope: Scope): Promise<void> => {
    while (!isOver()) {
      try {
        const question = { where, group: [], measures: [{ kind: 'count' }], rowsMax: 1_000_000, groupsMax: 1 } as const;
        const { rows, endedBy } = await scope.measure('p', question);
        assert.ok(rows === records || endedBy === 'time', `${rows} ${endedBy}`);
        seen.scans += 1;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        seen.refused += 1;
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      seen.logBytes = Math.max(seen.logBytes, statSync(`${directory.storePath}-wal`).size);
      await pause(20);
    }
  };
  await Promise.all([
    ...[0, 1, 2, 3].map((writer) => write(scopes[writer] as Scope, writer)),
    ...scopes.slice(0, 3).map(scan),
    watch(),
  ]);
  await store.close();
  context.diagnostic(JSON.stringify(seen));
  assert.ok(seen.logBytes < logBytesMax, `the log had ${seen.logBytes} bytes`);
  // Neither alone: else nothing was under way beside the other.
  assert.ok(seen.commits > 10 * seconds && seen.scans > seconds / 10, JSON.stringify(seen));
});
