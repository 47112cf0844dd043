/**
 * A process for tests, run under strace: commits so often to the store named by its argument, and dies. Each number that
 * it prints is a commit that was acknowledged. With `normal` it stores as the platform does, but for the setting
 * `synchronous = normal`.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../../lib/clock.ts';
import type { Change } from '../../../port.ts';
import { append, put, putIndex } from '../../../testing/conformance/bench.ts';
import { openConnection } from '../../connection.ts';
import { openSqlite } from '../../open-sqlite.ts';
import { SqliteWriter } from '../../writer.ts';
import { failOnFatal } from '../temporary-store.ts';

const [, , path = '', synchronous, commits = '0'] = process.argv;
const acknowledge = (seq: number) => writeSync(1, `${seq}\n`);

/** Enough pages for the log to be checkpointed and restarted. */
function changesOf(number: number): readonly Change[] {
  const key = `k${number}`;
  return [append('log', 'x'.repeat(12_000)), put('p', key, { value: key }), putIndex('index#i', key, 'p', key)];
}

async function writeSynced(): Promise<void> {
  const { store } = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
  const scope = store.scope('acknowledged');
  let next = 0;
  const write = async () => {
    while (next < Number(commits)) acknowledge((await scope.commit(changesOf(next++))).seq);
  };
  await Promise.all([write(), write(), write()]);
}

function writeUnsynced(): void {
  const database = openConnection(path, { readOnly: false, cacheKibibytes: 2048 });
  database.exec('pragma synchronous = normal');
  const writer = new SqliteWriter(database);
  for (let number = 0; number < Number(commits); number++) {
    writer.run([{ kind: 'commit', scope: 'acknowledged', changes: changesOf(number) }], 0);
    acknowledge(number + 1);
    writer.checkpointIfDue();
  }
}

if (synchronous === 'normal') writeUnsynced();
else await writeSynced();
process.kill(process.pid, 'SIGKILL');
