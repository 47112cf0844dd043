/**
 * How many small faults planted into the access engine its tests find.
 *
 *   npm run access:mutate -- [--count 200] [--seed 1] [--only decide.ts]
 *
 * Each fault is planted alone into a copy outside the repository; the tests run in steps, the quickest first, until
 * one fails. What survives is listed: a test is missing, or the fault changes nothing that can be seen.
 */
import { spawn } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { applyMutant, type Mutant, mutantsOf } from './mutants.ts';

const root = join(import.meta.dirname, '..');
const server = 'packages/server';
const access = `${server}/src/access`;
const secondsMax = 120;

const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const copy = mkdtempSync(join(tmpdir(), 'freehold-mutants-'));
try {
  process.exitCode = await main(Number(values.count ?? 200), Number(values.seed ?? 1));
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function main(count: number, seed: number): Promise<number> {
  makeCopy();
  const steps = testSteps();
  if (await isKilled(steps)) throw new Error('the tests fail without any fault');
  const all = sourceFiles().flatMap((path) => mutantsOf(path, readFileSync(join(root, path), 'utf8')));
  const chosen = shuffled(all, seed).slice(0, count);
  console.log(`${chosen.length} of ${all.length} faults, seed ${seed}`);
  const survivors: Mutant[] = [];
  for (const [index, mutant] of chosen.entries()) {
    if (!(await survives(mutant, steps))) continue;
    survivors.push(mutant);
    console.log(`${index + 1}: survived  ${describe(mutant)}`);
  }
  const killed = chosen.length - survivors.length;
  console.log(`killed ${killed} of ${chosen.length} (${((killed * 100) / chosen.length).toFixed(1)} %)`);
  return 0;
}

function makeCopy(): void {
  for (const path of ['package.json', `${server}/package.json`, access, `${server}/src/lib`]) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

function sourceFiles(): readonly string[] {
  const isForTests = (path: string) => /\.test\.ts$|\/proof\/|reference-evaluator/.test(path);
  const found = globSync(`${access}/**/*.ts`, { cwd: root }).filter((path) => !isForTests(path));
  return found.filter((path) => values.only === undefined || basename(path) === values.only).sort();
}

/** The files of each step. Those of the first steps find most faults within a second. */
function testSteps(): readonly (readonly string[])[] {
  const tests = globSync(`${access}/**/*.test.ts`, { cwd: root }).sort();
  const proofs = ['decisions', 'explanations', 'escalation', 'judging', 'properties', 'cedar', 'agreement'].map(
    (name) => `${access}/${name}.proof.test.ts`,
  );
  const [decisions = '', ...slow] = proofs;
  return [[decisions], tests.filter((path) => !path.includes('.proof.')), ...slow.map((path) => [path])];
}

async function survives(mutant: Mutant, steps: readonly (readonly string[])[]): Promise<boolean> {
  const path = join(copy, mutant.path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, applyMutant(text, mutant));
  try {
    return !(await isKilled(steps));
  } finally {
    writeFileSync(path, text);
  }
}

async function isKilled(steps: readonly (readonly string[])[]): Promise<boolean> {
  for (const files of steps) if (!(await passes(files))) return true;
  return false;
}

/** A run that does not end is one that fails: the fault made something loop. */
function passes(files: readonly string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', ...files], {
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
    // A linear congruential generator: any order will do, if the seed repeats it.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return { mutant, key: state };
  });
  return keyed.sort((left, right) => left.key - right.key).map(({ mutant }) => mutant);
}
