/** Preloaded into a platform and its commands: a backup that is written waits before its last step for as long as there is a file. */
import { existsSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout } from 'node:timers/promises';

const held = process.env.FREEHOLD_TEST_HOLD_FILE ?? '';
const { rename } = promises;

if (process.argv.includes('backup')) {
  promises.rename = async (from, to) => {
    // wall time: a pause between two looks, in the process of the platform.
    while (existsSync(held)) await setTimeout(10);
    await rename(from, to);
  };
  syncBuiltinESMExports();
}
