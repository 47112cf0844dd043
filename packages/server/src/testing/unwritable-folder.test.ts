/** Commands that change nothing, on a data folder that cannot be written to, as of a failing disk or a snapshot of one. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSecretsFile, loadSecrets } from '../people/secrets.ts';
import { runProgram, temporaryFolder, usingStore } from './command.ts';
import { SteppedClock } from './record-bench.ts';

const sources = join(import.meta.dirname, '..');

const run = (command: string, ...words: readonly string[]) =>
  runProgram(join(sources, 'commands', `${command}.ts`), words);

async function dataFolder(context: TestContext): Promise<string> {
  const folder = join(temporaryFolder(context), 'data');
  mkdirSync(folder);
  for (const space of ['platform', 'test', 'prod'])
    await usingStore(join(folder, `${space}.db`), async ({ store }) => {
      await store.scope('s').commit([{ kind: 'put', pk: 'p', sk: space, value: 'kept', if: 'any' }]);
    });
  await loadSecrets(createSecretsFile(folder), new SteppedClock());
  return folder;
}

/** The folder as a disk that takes no writes has it, for root and for others. */
function unwritable(context: TestContext, folder: string): string {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    context.after(() => chmodSync(folder, 0o700));
    return folder;
  }
  const place = mkdtempSync(join(tmpdir(), 'freehold-unwritable-'));
  assert.equal(spawnSync('mount', ['--bind', folder, place]).status, 0);
  context.after(() => {
    spawnSync('umount', ['--lazy', place]);
    rmSync(place, { recursive: true });
  });
  assert.equal(spawnSync('mount', ['-o', 'remount,bind,ro', place]).status, 0);
  return place;
}

const mayMount = process.getuid?.() !== 0 || spawnSync('unshare', ['--mount', 'true']).status === 0;
const skip = !mayMount && 'not run: root may mount nothing here';

/** Leaves commits in the log of `test`, as a process does that is killed. Gives how many were acknowledged. */
async function commitAndDie(folder: string): Promise<number> {
  const program = join(sources, 'store/sqlite/testing/holding-process.ts');
  const child = spawn(process.execPath, [program, join(folder, 'test.db')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [lines] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'exit');
  return Number(lines.toString().trim().split('\n').at(-1));
}

test('a folder that cannot be written to is backed up and verified, with what a process that was killed left in its log', {
  skip,
}, async (context) => {
  const folder = await dataFolder(context);
  const acknowledged = await commitAndDie(folder);
  const place = unwritable(context, folder);
  const verified = await run('verify', '--data-dir', place);
  assert.deepEqual([verified.code, verified.stderr], [0, ''], verified.stdout);
  assert.match(verified.stdout, /nothing has drifted\n$/);
  const [file, restored] = [join(temporaryFolder(context), 'a.backup'), join(temporaryFolder(context), 'data')];
  const backup = await run('backup', file, '--data-dir', place);
  assert.deepEqual([backup.code, backup.stderr], [0, '']);
  assert.equal((await run('restore', file, '--data-dir', restored)).code, 0);
  await usingStore(join(restored, 'test.db'), async ({ store }) => {
    const kept = await store.scope('acknowledged').count('log', {}, 1e6);
    assert.ok(acknowledged > 0 && kept >= acknowledged, `${kept} of ${acknowledged}`);
  });
});

test('a log that cannot be read there is not left out: the commands refuse, and say what to do', {
  skip,
}, async (context) => {
  const folder = await dataFolder(context);
  await commitAndDie(folder);
  rmSync(join(folder, 'test.db-shm'));
  const place = unwritable(context, folder);
  for (const words of [['verify'], ['backup', join(temporaryFolder(context), 'a.backup')]] as const) {
    const [command, ...more] = words;
    const { code, stderr } = await run(command, ...more, '--data-dir', place);
    assert.equal(code, 2);
    assert.match(stderr, /test\.db-wal` holds commits that cannot be read .*: copy the whole folder/);
  }
});

test('a platform that has the folder open elsewhere is seen', {
  skip: skip || (process.getuid?.() !== 0 && 'not run: the folder of another user is read-only as a whole'),
}, async (context) => {
  const folder = await dataFolder(context);
  const place = unwritable(context, folder);
  await usingStore(join(folder, 'test.db'), async () => {
    const { code, stderr } = await run('verify', '--data-dir', place);
    assert.equal(code, 2);
    assert.match(stderr, /is open already/);
  });
});
