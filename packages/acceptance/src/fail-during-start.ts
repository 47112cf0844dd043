/** Preloaded beside `fail-on-demand.ts`: the second worker starts when the first one, which serves, has failed. */
import { existsSync, writeFileSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const path = process.env.FREEHOLD_TEST_FAIL_FILE ?? '';

if (!isMainThread && (workerData as { readonly name?: string } | null)?.name === 'worker 2') {
  writeFileSync(path, '');
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (existsSync(path)) Atomics.wait(never, 0, 0, 10);
}
