/**
 * How many small faults planted into a module of the server its tests find.
 *
 *   npm run mutants -- [module]… [--count 20] [--seed 20261129] [--only decide.ts:303]
 *
 * Without a module, each of them; without a seed, that of the day. Each fault is planted alone into a copy outside the
 * repository. First the unit tests that import the file run, the nearest first, then the acceptance tests of the gate, then
 * those beside the gate that speak of the words in the name of the file most, until one fails. Faults that survive are listed: a test is missing, or the fault changes nothing that can be seen.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { importsOf } from '../imports.ts';
import { apart, testFilesOf } from '../test-kinds.ts';
import { applyMutant, type Mutant, mutantsOf } from './mutants.ts';

const root = join(import.meta.dirname, '..', '..');
const server = 'packages/server/src';
/** On a busy machine the slowest test file takes close to two minutes without a fault. */
const secondsMax = 300;
/** Tests further away than these find no more than the acceptance tests. */
const unitTestsMax = 10;
const slowTestsMax = 6;

const { values, positionals } = parseArgs({
  options: { count: { type: 'string', default: '20' }, seed: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});

const [onlyFile, onlyLine] = values.only?.split(':') ?? [];

async function main(copy: string): Promise<void> {
  makeCopy(copy);
  const seed = Number(values.seed ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''));
  const importers = importersIn(globSync(`${server}/**/*.ts`, { cwd: root, exclude: ['**/node_modules'] }));
  const modules = positionals.length > 0 ? positionals : modulesOfServer();
  const trials = new Trials(copy, importers);
  for (const module of modules) await judge(module, seed, trials);
}

type Importers = ReadonlyMap<string, readonly string[]>;

async function judge(module: string, seed: number, trials: Trials): Promise<void> {
  const all = sourcesOf(module).flatMap((path) => mutantsOf(path, readFileSync(join(root, path), 'utf8')));
  const there = all.filter((mutant) => onlyLine === undefined || mutant.line === Number(onlyLine));
  const chosen = shuffled(there, seed).slice(0, Number(values.count));
  const survivors: Mutant[] = [];
  for (const mutant of chosen) {
    if (!(await trials.survives(mutant))) continue;
    survivors.push(mutant);
    console.log(`survived  ${describe(mutant)}`);
  }
  const killed = chosen.length - survivors.length;
  console.log(`${module}: ${killed} of ${chosen.length} killed, of ${all.length} faults, seed ${seed}`);
}

/** All but what `npm ci` makes, which is shared. */
function makeCopy(copy: string): void {
  const isMade = /(^|\/)(node_modules|\.git|dist)$/;
  cpSync(root, copy, { recursive: true, filter: (path) => path === root || !isMade.test(path) });
  const installed = ['.', ...Object.keys(apart)].map((folder) => join(folder, 'node_modules'));
  for (const path of installed) if (existsSync(join(root, path))) symlinkSync(join(root, path), join(copy, path));
}

function modulesOfServer(): readonly string[] {
  return readdirSync(join(root, server), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
    .map(({ name }) => name);
}

function sourcesOf(module: string): readonly string[] {
  const found = globSync(`${server}/${module}/**/*.ts`, { cwd: root, exclude: ['**/node_modules'] });
  if (found.length === 0) throw new Error(`there is no module ${module} in ${server}`);
  return found
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .filter((path) => onlyFile === undefined || basename(path) === onlyFile)
    .sort();
}

function importersIn(paths: readonly string[]): Importers {
  const importers = new Map<string, string[]>();
  for (const path of paths)
    for (const { target } of importsOf(path, readFileSync(join(root, path), 'utf8'))) {
      const known = importers.get(target);
      if (known === undefined) importers.set(target, [path]);
      else known.push(path);
    }
  return importers;
}

const unitTests = new Set([...testFilesOf(root, 'unit'), ...testFilesOf(root, 'watched')]);

/** Test files that load a file: those of its module first, then by the number of imports between them. */
function testsOf(path: string, importers: Importers): readonly string[] {
  const seen = new Set([path]);
  for (const one of seen) for (const importer of importers.get(one) ?? []) seen.add(importer);
  const near = [...seen].filter((one) => unitTests.has(one));
  const module = path.split('/').slice(0, 4).join('/');
  const [own = [], others = []] = [true, false].map((isOwn) =>
    near.filter((one) => one.startsWith(`${module}/`) === isOwn),
  );
  return [...own, ...others].slice(0, unitTestsMax);
}

class Trials {
  readonly #copy: string;
  readonly #importers: Importers;
  /** Whether a run passes without a fault, by its words: a run that fails anyway says nothing of a fault. */
  readonly #sound = new Map<string, boolean>();

  constructor(copy: string, importers: Importers) {
    this.#copy = copy;
    this.#importers = importers;
  }

  async survives(mutant: Mutant): Promise<boolean> {
    const runs = testsOf(mutant.path, this.#importers).map((test) => ['--test', '--test-isolation=none', test]);
    for (const words of [...runs, gate, ...slowRunOf(mutant.path)])
      if ((await this.#isSound(words)) && !(await this.#passesWith(mutant, words))) return false;
    return true;
  }

  async #isSound(words: readonly string[]): Promise<boolean> {
    const name = words === gate ? 'the acceptance tests of the gate' : words.filter(isTest).join(' ');
    const known = this.#sound.get(name);
    if (known !== undefined) return known;
    const sound = await this.#passes(words);
    if (!sound) console.log(`left out, since it fails without a fault: ${name}`);
    this.#sound.set(name, sound);
    return sound;
  }

  async #passesWith(mutant: Mutant, words: readonly string[]): Promise<boolean> {
    const path = join(this.#copy, mutant.path);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, applyMutant(text, mutant));
    try {
      return await this.#passes(words);
    } finally {
      writeFileSync(path, text);
    }
  }

  /** A run that does not end has failed: the fault made something loop. */
  #passes(words: readonly string[]): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const child = spawn(process.execPath, words, {
      cwd: this.#copy,
      stdio: 'ignore',
      timeout: secondsMax * 1000,
      killSignal: 'SIGKILL',
    });
    child.once('exit', (code) => resolve(code === 0));
    return promise;
  }
}

const gate = acceptance(testFilesOf(root, 'acceptance'));

function acceptance(tests: readonly string[]): readonly string[] {
  const platform = ['packages/acceptance/src/with-platform.ts', process.execPath];
  return [...platform, 'tools/run-tests.ts', '--together', ...tests];
}

function isTest(word: string): boolean {
  return word.endsWith('.test.ts');
}

function slowRunOf(path: string): readonly (readonly string[])[] {
  const tests = slowTestsOf(path);
  return tests.length === 0 ? [] : [acceptance(tests)];
}

function slowTestsOf(path: string): readonly string[] {
  const [folder = '', file = ''] = path.split('/').slice(-2);
  const words = new Set(`${folder}-${basename(file, '.ts')}`.split('-').filter((word) => word.length > 3));
  const tests = testFilesOf(root, 'slow-acceptance').map((test) => {
    const text = readFileSync(join(root, test), 'utf8');
    // The name of a test says more than a word in it.
    const scores = [...words].map(
      (word) => 20 * Number(test.includes(word)) + Math.min(text.split(word).length - 1, 20),
    );
    return { test, score: scores.reduce((sum, score) => sum + score, 0) };
  });
  const ranked = tests.filter(({ score }) => score > 0).sort((left, right) => right.score - left.score);
  return ranked.slice(0, slowTestsMax).map(({ test }) => test);
}

function describe({ path, line, start, end, text }: Mutant): string {
  const was = readFileSync(join(root, path), 'utf8').slice(start, end);
  return `${path.slice(server.length + 1)}:${line}  ${was.split('\n', 1)[0]}  →  ${text}`;
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

const copy = mkdtempSync(join(tmpdir(), 'freehold-mutants-'));
try {
  await main(copy);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
