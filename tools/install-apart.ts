/**
 * Installs the packages of folders that `npm ci` of the root leaves out, where they are missing or older than their lock
 * file.
 *
 *   node tools/install-apart.ts <folder>…
 */
import { join, resolve } from 'node:path';
import { install } from './runs/apart.ts';

const root = join(import.meta.dirname, '..');
const missing = process.argv.slice(2).filter((folder) => !install(resolve(root, folder)));
for (const folder of missing) console.error(`the packages of ${folder} could not be installed`);
process.exitCode = missing.length > 0 ? 1 : 0;
