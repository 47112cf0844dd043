/**
 * Preloaded into a platform: its second worker, or the worker that is named, fails as soon as there is a file, which it
 * removes.
 */
import { existsSync, rmSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const path = process.env.FREEHOLD_TEST_FAIL_FILE ?? '';
const failing = process.env.FREEHOLD_TEST_FAIL_WORKER ?? 'worker 2';
const name = (workerData as { readonly name?: string } | null)?.name;

if (!isMainThread && name === failing)
  setInterval(() => {
    if (!existsSync(path)) return;
    rmSync(path);
    throw new Error('a planted failure of a worker');
  }, 10).unref();
