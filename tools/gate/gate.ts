/**
 * All that must hold before a change is taken. Prints a line per step, the whole output of a step that failed, and the
 * closing line.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closingLine } from '../closing-line.ts';
import { changedPaths, reachedTests } from '../runs/changed.ts';
import { testFilesOf } from '../test-kinds.ts';
import { type CheckName, commandOf } from './checks.ts';
import { judge, type Outcome, runCommand, type Step } from './step.ts';

/** Sequences run side by side, the steps of a sequence in order. */
export type StepSequences = readonly (readonly Step[])[];

/** A net for a step that never ends, far above the three minutes that the gate may take: some machines are slow. */
const secondsMax = 1800;

const root = join(import.meta.dirname, '..', '..');

/** In full where FREEHOLD_TEST_WHOLE is 1: then no proof makes only a share of its runs. */
const quick = process.env.FREEHOLD_TEST_WHOLE === '1' ? '' : 'FREEHOLD_TEST_QUICK=1 ';

export const gate: StepSequences = [
  [check('style'), check('types'), check('sizes')],
  [testStep('unit', `${quick}node tools/test.ts unit`), testStep('acceptance', 'node tools/test.ts acceptance')],
];

/** The steps of the gate, for what a change can reach. The rules of the tree are always asked. */
export function changedGate(folder: string, revision?: string): StepSequences {
  const paths = changedPaths(folder, revision);
  if (paths.length === 0) throw new TypeError('nothing has changed');
  const present = paths.filter((path) => existsSync(join(folder, path)));
  const unit = [...reachedTests(folder, paths, testFilesOf(folder, 'unit')), ...testFilesOf(folder, 'unit', 'tools/')];
  const isServed = paths.some((path) => /^packages\/(?:contract|server|client|acceptance)\//.test(path));
  return [
    [check('style', present), check('types'), check('sizes')],
    [
      testStep('unit', `${quick}node tools/run-tests.ts --together ${quoted(new Set(unit))}`),
      ...(isServed ? [testStep('acceptance', 'node tools/test.ts acceptance')] : []),
    ],
  ];
}

/** @returns the code to exit with */
export async function runSteps(sequences: StepSequences): Promise<number> {
  const stopped = new AbortController();
  setTimeout(() => stopped.abort(), secondsMax * 1000).unref();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopped.abort());
  const outcomes = (await Promise.all(sequences.map((sequence) => runSequence(sequence, stopped.signal)))).flat();
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  console.log(`\n${closingLine({ passed, failed })}`);
  return failed > 0 ? 1 : 0;
}

async function runSequence(sequence: readonly Step[], signal: AbortSignal): Promise<readonly Outcome[]> {
  const done: Outcome[] = [];
  for (const step of sequence) done.push(await runStep(step, signal));
  return done;
}

async function runStep(step: Step, signal: AbortSignal): Promise<Outcome> {
  const start = performance.now();
  const ended = await runCommand(step.command, root, signal);
  const outcome = judge(step, ended);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const word = outcome.passedAsAStep ? 'ok  ' : 'FAIL';
  console.log(`${word}  ${step.name.padEnd(16)} ${seconds.padStart(6)} s  ${outcome.verdictText}`.trimEnd());
  for (const line of outcome.passedAsAStep ? (ended.output.match(/^skipped: .*$/gm) ?? []) : [])
    console.log(`      ${line}`);
  if (!outcome.passedAsAStep) console.log(`\n${ended.output.trimEnd()}\n`);
  return outcome;
}

function check(name: CheckName, paths?: readonly string[]): Step {
  return { name, command: commandOf(name, paths), countsTests: false };
}

function testStep(name: string, command: string): Step {
  return { name, command, countsTests: true };
}

function quoted(words: Iterable<string>): string {
  return [...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}
