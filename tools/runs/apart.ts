/** Folders with packages of their own: few programs need these, so `npm ci` of the root leaves them out. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** By the file that npm writes at the end of an install: what was cut off counts as missing. */
export function isInstalled(folder: string): boolean {
  const [installed, locked] = [join('node_modules', '.package-lock.json'), 'package-lock.json'].map(
    (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs,
  );
  return installed !== undefined && locked !== undefined && installed >= locked;
}

/** Installs what is missing or older than its lock file, and says whether it is there. The output of npm goes to stderr. */
export function install(folder: string): boolean {
  if (isInstalled(folder)) return true;
  console.error(`$ npm ci --prefix ${folder}`);
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], {
    stdio: ['ignore', 2, 2],
  });
  return status === 0;
}
