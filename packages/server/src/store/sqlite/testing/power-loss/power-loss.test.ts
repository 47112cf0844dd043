import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../../lib/clock.ts';
import { openSqlite } from '../../open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from '../temporary-store.ts';
import { DiskModel } from './disk-model.ts';
import { readTrace, type TraceEvent, tracedCalls } from './trace.ts';

const commits = 200;
const hasStrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

describe('SQLite when the power goes', { skip: hasStrace ? false : 'strace cannot be run' }, () => {
  test('holds every acknowledged commit, and each whole or not at all, whatever of the rest reached the disk', async () => {
    const { losses, checked } = await loseThePower('full');
    assert.deepEqual(losses, []);
    assert.ok(checked >= 25, `${checked} moments`);
  });

  test('would lose acknowledged commits, but none in part, were it not for `synchronous = full`', async () => {
    const { losses } = await loseThePower('normal');
    assert.ok(losses.length > 10, `${losses.length} losses`);
  });
});

/** A sentence for each moment at which losing the power would lose acknowledged commits. Any other damage throws. */
async function loseThePower(synchronous: 'full' | 'normal') {
  using directory = temporaryDirectory();
  const path = directory.storePath;
  await (await openSqlite({ path, clock: systemClock, onFatal: failOnFatal })).store.close();
  const files = new Map([[path, readFileSync(path)]]);
  const events = await traceOf(path, synchronous);
  const reported = events.flatMap((event, index) => (event.kind === 'said' ? [index] : []));
  const moments = new Set(reported.filter((_, index) => index % 8 === 0));
  for (let index = 0; index < events.length; index += 151) moments.add(index);
  const disk = new DiskModel(files);
  const random = seeded();
  const losses: string[] = [];
  let acknowledged = 0;
  for (const [index, event] of events.entries()) {
    disk.take(event);
    if (event.kind === 'said') acknowledged = Math.max(acknowledged, ...event.text.trim().split('\n').map(Number));
    if (!moments.has(index)) continue;
    const share = [0, 0.5, 1][index % 3] ?? 0;
    const left = await commitsLeft(disk.afterPowerLoss(() => random() < share));
    if (left < acknowledged) losses.push(`${left} of ${acknowledged} commits are left after event ${index}`);
  }
  assert.equal(acknowledged, commits);
  return { losses, checked: moments.size };
}

/** Numbers from 0 to 1 that are the same each time. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

async function traceOf(path: string, synchronous: string): Promise<readonly TraceEvent[]> {
  const tracePath = join(dirname(path), 'trace');
  const program = fileURLToPath(new URL('./writing-process.ts', import.meta.url));
  const traced = [process.execPath, program, path, synchronous, String(commits)];
  const options = ['-f', '-y', '-xx', '-s', '1000000', '-e', `trace=${tracedCalls}`, '-o', tracePath];
  const child = spawn('strace', [...options, ...traced], { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  return readTrace(readFileSync(tracePath, 'latin1'), path);
}

/** Starts on these files, as after the power came back, and looks whether every commit that is there is whole. */
async function commitsLeft(files: ReadonlyMap<string, Buffer>): Promise<number> {
  using directory = temporaryDirectory();
  for (const [path, content] of files) {
    if (/\.db(-wal)?$/.test(path)) writeFileSync(join(dirname(directory.storePath), basename(path)), content);
  }
  const { store, maintenance } = await openSqlite({
    path: directory.storePath,
    clock: systemClock,
    onFatal: failOnFatal,
  });
  const scope = store.scope('acknowledged');
  const all = 1_000_000;
  const log = await scope.range('log', { limit: all });
  const [head] = await maintenance.scopes(undefined, 1);
  assert.equal(head?.seq ?? 0, log.length);
  assert.equal(await scope.count('p', {}, all), log.length);
  assert.equal((await scope.follow('index#i', { limit: all })).length, log.length);
  await store.close();
  return log.length;
}
