/**
 * `npm test`: the gate. With words, only the tests that they name, with all that these need around them:
 *
 *   npm test -- WORD             a word of `test-runs.ts`, such as browser or postgres
 *   npm test -- PATH…            test files, or globs
 *   npm test -- --changed [REV]  what the changes since REV can reach: by default those that `origin/main` does not have
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { changedGate, gate, runSteps } from './gate/gate.ts';
import { type TestRun, testRuns } from './test-runs.ts';

const root = join(import.meta.dirname, '..');

async function main(words: readonly string[]): Promise<number> {
  const [word, ...others] = words;
  if (word === undefined) return runSteps(gate);
  if (word === '--changed') return runSteps(changedGate(root, others[0]));
  const run = Object.hasOwn(testRuns, word) ? testRuns[word] : undefined;
  if (run !== undefined && others.length > 0)
    throw new TypeError(`\`${word}\` is a kind of tests: name nothing beside it`);
  return start(run ?? filesByPath(words));
}

function filesByPath(files: readonly string[]): TestRun {
  const unknown = files.find((file) => !/[./*]/.test(file));
  if (unknown !== undefined)
    throw new TypeError(`\`${unknown}\` is neither a path nor one of ${Object.keys(testRuns).join(', ')}`);
  return { files, ...(files.some((file) => file.includes('browser/')) ? { sites: ['console', 'docs'] } : {}) };
}

function start({ files, inside = [], sites = [], environment = {}, flags = [] }: TestRun): number {
  for (const site of sites) {
    const code = runNode([`packages/${site}/build/build.ts`]);
    if (code !== 0) return code;
  }
  const programs = inside.flatMap((program) => [program, process.execPath]);
  return runNode([...programs, 'tools/run-tests.ts', ...flags, ...files], environment);
}

function runNode(words: readonly string[], environment: NodeJS.ProcessEnv = {}): number {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, words, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
