/** Preloaded into a platform: its second worker starts when a file is gone. */
import { existsSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const path = process.env.FREEHOLD_TEST_HOLD_START ?? '';

if (!isMainThread && (workerData as { readonly name?: string } | null)?.name === 'worker 2') {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (existsSync(path)) Atomics.wait(never, 0, 0, 10);
}
