/**
 * Everything that must hold before a change is taken, in one command. Prints a line per step, the whole output of a
 * step that failed, and the closing line; the exit code is 1 when anything failed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closingLine } from './closing-line.ts';
import { judge, type Outcome, runCommand, type Step } from './step.ts';

/** The steps by the names of their scripts in package.json. Lanes run side by side, the steps of a lane in order. */
const lanes: readonly (readonly Omit<Step, 'command'>[])[] = [
  [
    { name: 'check:style', countsTests: false },
    { name: 'check:types', countsTests: false },
    { name: 'check:dead-code', countsTests: false },
    { name: 'test:console', countsTests: true },
  ],
  [
    { name: 'test:unit', countsTests: true },
    { name: 'test:acceptance', countsTests: true },
  ],
];

/** A net for a step that never ends, far above the five minutes that the whole gate may take: some machines are slow. */
const secondsMax = 1800;

const root = join(import.meta.dirname, '..');
const scripts = readScripts();
const stopped = new AbortController();
setTimeout(() => stopped.abort(), secondsMax * 1000).unref();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopped.abort());

const outcomes = (await Promise.all(lanes.map(runLane))).flat();
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
console.log(`\n${closingLine({ passed, failed })}`);
process.exitCode = failed > 0 ? 1 : 0;

async function runLane(lane: (typeof lanes)[number]): Promise<readonly Outcome[]> {
  const done: Outcome[] = [];
  for (const { name, countsTests } of lane) done.push(await runStep({ name, countsTests, command: commandOf(name) }));
  return done;
}

async function runStep(step: Step): Promise<Outcome> {
  const start = performance.now();
  const ended = await runCommand(step.command, root, stopped.signal);
  const outcome = judge(step, ended);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const word = outcome.passedAsAStep ? 'ok  ' : 'FAIL';
  console.log(`${word}  ${step.name.padEnd(16)} ${seconds.padStart(6)} s  ${outcome.said}`.trimEnd());
  for (const line of outcome.passedAsAStep ? (ended.output.match(/^skipped: .*$/gm) ?? []) : [])
    console.log(`      ${line}`);
  if (!outcome.passedAsAStep) console.log(`\n${ended.output.trimEnd()}\n`);
  return outcome;
}

/** The commands stand in package.json alone, so that a step run by hand and a step of the gate cannot drift apart. */
function readScripts(): Readonly<Record<string, string>> {
  const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return manifest.scripts;
}

function commandOf(name: string): string {
  const command = scripts[name];
  if (command === undefined) throw new TypeError(`package.json has no script \`${name}\``);
  return command;
}
