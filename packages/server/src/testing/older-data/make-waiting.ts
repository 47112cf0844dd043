/**
 * Makes a store in which work of every kind waits, by the sources that it lies in.
 *
 *   node packages/server/src/testing/older-data/make-waiting.ts FOLDER
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { startHeld } from './held-platform.ts';
import { fillWaiting } from './waiting-work.ts';

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('a folder, please');
const work = mkdtempSync(join(tmpdir(), 'freehold-waiting-'));
const [dataDir, backup] = [join(work, 'data'), join(work, 'data.tar')];
try {
  let letGo: readonly string[] = [];
  const platform = await startHeld(dataDir, { now: () => Date.now() }, (job) => !letGo.includes(job));
  const filled = await fillWaiting(platform, (jobs) => {
    letGo = jobs;
  });
  process.stdout.write(`${(await platform.jobsBy(Number.MAX_SAFE_INTEGER)).join(' ')}\n`);
  await platform.close();
  const program = join(import.meta.dirname, '../../../bin/freehold.mjs');
  execFileSync(process.execPath, [program, 'backup', backup, '--data-dir', dataDir]);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'data.tar.br'), brotliCompressSync(readFileSync(backup)));
  writeFileSync(join(target, 'filled.json.br'), brotliCompressSync(JSON.stringify(filled)));
} finally {
  rmSync(work, { recursive: true, force: true });
}
