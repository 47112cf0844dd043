/** What the command keeps of its compiled code from one start to the next, and where it does not. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandToEnd, temporaryDirectory } from './platform.ts';

/** Runs `freehold --version` with this as the user's cache folder. */
async function run(XDG_CACHE_HOME: string): Promise<void> {
  // The tests run with a cache of their own, which would be used instead.
  const env = { XDG_CACHE_HOME, NODE_COMPILE_CACHE: '' };
  const { code, stdout, stderr } = await commandToEnd(['--version'], { env });
  assert.deepEqual([code, stderr, /^freehold \d/.test(stdout)], [0, '', true]);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String);
}

test('compiled code is kept in the cache folder of the user, which no other user can read', async () => {
  const cache = temporaryDirectory();
  await run(cache);
  const kept = filesIn(cache);
  assert.ok(
    kept.some((path) => /^freehold\/compiled\/v[^/]+\/\w+$/.test(path)),
    kept.join(),
  );
  await run(cache);
});

test('a folder that another user could change is not used', async () => {
  const open = temporaryDirectory();
  mkdirSync(join(open, 'freehold', 'compiled'), { recursive: true });
  const openings = [join(open, 'freehold', 'compiled'), join(open, 'freehold'), open];
  for (const folder of openings) {
    chmodSync(folder, 0o777);
    await run(open);
    chmodSync(folder, 0o755);
  }
  assert.deepEqual(filesIn(join(open, 'freehold', 'compiled')), []);
  const linked = temporaryDirectory();
  const target = temporaryDirectory();
  chmodSync(target, 0o777);
  symlinkSync(target, join(linked, 'freehold'));
  await run(linked);
  assert.deepEqual(filesIn(join(target, 'compiled')), []);
});

test('a command runs where nothing can be kept', async () => {
  const cache = temporaryDirectory();
  writeFileSync(join(cache, 'freehold'), 'no folder');
  await run(cache);
  await run('/proc/none');
});
