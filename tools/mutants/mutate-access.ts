/**
 * How many small faults planted into the access engine its tests find.
 *
 *   npm run mutants -- [--count 200] [--seed 1] [--only decide.ts]
 *
 * Each fault is planted alone into a copy outside the repository; the test files run one after the other, the
 * quickest first, until one fails. What survives is listed: a test is missing, or the fault changes nothing that can be seen.
 */
import { spawn } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { applyMutant, type Mutant, mutantsOf } from './mutants.ts';

const root = join(import.meta.dirname, '..', '..');
const server = 'packages/server';
const access = `${server}/src/access`;
/** On a busy machine the slowest test file takes close to two minutes without a fault. */
const secondsMax = 300;

const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const copy = mkdtempSync(join(tmpdir(), 'freehold-mutants-'));
try {
  await main(Number(values.count ?? 200), Number(values.seed ?? 1));
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function main(count: number, seed: number): Promise<void> {
  makeCopy();
  const tests = await testsByTime();
  const all = sourceFiles().flatMap((path) => mutantsOf(path, readFileSync(join(root, path), 'utf8')));
  const chosen = shuffled(all, seed).slice(0, count);
  console.log(`${chosen.length} of ${all.length} faults, seed ${seed}`);
  let survivors = 0;
  for (const [index, mutant] of chosen.entries()) {
    if (!(await survives(mutant, tests))) continue;
    survivors++;
    console.log(`${index + 1}: survived  ${describe(mutant)}`);
  }
  const killed = chosen.length - survivors;
  console.log(`killed ${killed} of ${chosen.length} (${((killed * 100) / chosen.length).toFixed(1)} %)`);
}

function makeCopy(): void {
  for (const path of ['package.json', `${server}/package.json`, access, `${server}/src/lib`]) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

function sourceFiles(): readonly string[] {
  const isForTests = (path: string) => /\.test\.ts$|\/testing\//.test(path);
  const found = globSync(`${access}/**/*.ts`, { cwd: root }).filter((path) => !isForTests(path));
  return found.filter((path) => values.only === undefined || basename(path) === values.only).sort();
}

/** The quickest first: they find most faults within a second. */
async function testsByTime(): Promise<readonly string[]> {
  const timed: { readonly path: string; readonly milliseconds: number }[] = [];
  for (const path of globSync(`${access}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules'] })) {
    const start = performance.now();
    if (!(await passes(path))) throw new Error(`${path} fails without any fault`);
    timed.push({ path, milliseconds: performance.now() - start });
  }
  return timed.sort((left, right) => left.milliseconds - right.milliseconds).map(({ path }) => path);
}

async function survives(mutant: Mutant, tests: readonly string[]): Promise<boolean> {
  const path = join(copy, mutant.path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, applyMutant(text, mutant));
  try {
    const own = tests.filter((test) => test === mutant.path.replace(/\.ts$/, '.test.ts'));
    for (const test of new Set([...own, ...tests])) if (!(await passes(test))) return false;
    return true;
  } finally {
    writeFileSync(path, text);
  }
}

/** A run that does not end is one that fails: the fault made something loop. */
function passes(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', path], {
    cwd: copy,
    stdio: 'ignore',
    timeout: secondsMax * 1000,
    killSignal: 'SIGKILL',
  });
  child.once('exit', (code) => resolve(code === 0));
  return promise;
}

function describe({ path, line, start, end, text }: Mutant): string {
  const was = readFileSync(join(root, path), 'utf8').slice(start, end);
  return `${path.slice(access.length + 1)}:${line}  ${was}  →  ${text}`;
}

function shuffled(mutants: readonly Mutant[], seed: number): readonly Mutant[] {
  let state = seed;
  const keyed = mutants.map((mutant) => {
    // A linear congruential generator: one order is as good as another, if the seed repeats it.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return { mutant, key: state };
  });
  return keyed.sort((left, right) => left.key - right.key).map(({ mutant }) => mutant);
}
