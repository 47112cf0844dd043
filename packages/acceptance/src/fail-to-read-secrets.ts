/** Preloaded into a platform: its second worker cannot read the secrets as long as there is a file. */
import { existsSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread, workerData } from 'node:worker_threads';

const path = process.env.FREEHOLD_TEST_FAIL_FILE ?? '';

if (!isMainThread && (workerData as { readonly name?: string } | null)?.name === 'worker 2') {
  const { open } = files;
  files.open = async (file, ...how) => {
    if (String(file).endsWith('secrets.json') && existsSync(path)) throw new Error('a planted failure to read');
    return open(file, ...how);
  };
  syncBuiltinESMExports();
}
