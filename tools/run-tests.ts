/** Runs the tests of one kind: `unit` (beside the sources) or `acceptance` (over HTTP against a started platform). */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const globs: Readonly<Record<string, readonly string[]>> = {
  unit: ['packages/contract/src/**/*.test.ts', 'packages/server/src/**/*.test.ts', 'tools/**/*.test.ts'],
  acceptance: ['packages/acceptance/src/**/*.test.ts'],
};

const kinds = process.argv.slice(2).filter((word) => word in globs);
const chosen = (kinds.length > 0 ? kinds : Object.keys(globs)).flatMap((kind) => globs[kind] ?? []);
const result = spawnSync(process.execPath, ['--test', '--test-concurrency=2', ...chosen], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = result.status ?? 1;
