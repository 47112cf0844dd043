/** Runs `freehold backup` and `freehold restore` in a process of its own, so that no request waits for what they compute. */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { launcher } from '../lib/installation.ts';
import type { TestFacts } from './backup-facts.ts';

export interface CommandRun {
  /** Resolves when the process has ended. */
  readonly ended: Promise<CommandEnd>;
  kill(): void;
}

export interface CommandEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type RunCommand = (words: readonly string[]) => CommandRun;

/** The end of what it says is kept. */
const charactersMax = 8192;
/** A process that takes longer hangs, as on a disk that does not answer. */
const millisecondsMax = 24 * 3_600_000;
/** After the threads of the platform. */
const priority = 10;

/** @param env the environment of the commands. */
export function commandRunner(env: NodeJS.ProcessEnv): RunCommand {
  return (words) => run(words, env);
}

function run(words: readonly string[], env: NodeJS.ProcessEnv): CommandRun {
  // It ends with the platform, however that ends: the channel closes, and `watch-parent.mjs` sees it.
  const child = spawn(process.execPath, [launcher, ...words], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-charactersMax);
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), millisecondsMax);
  timer.unref();
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('error', (error) => resolve({ code: 2, signal: null, stdout: '', stderr: error.message }));
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  if (child.pid !== undefined) giveWay(child.pid);
  return { ended: ended.finally(() => clearTimeout(timer)), kill: () => child.kill('SIGKILL') };
}

/** Not every system lets a user do so. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // It competes with the requests then.
  }
}

const sentenceCharactersMax = 300;

/** Why a command did nothing, in one sentence. */
export function problemOf({ code, signal, stderr }: CommandEnd): string {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  if (last !== '') return last.slice(0, sentenceCharactersMax).toWellFormed();
  return signal === null ? `its process ended with code ${code}` : `its process was ended by ${signal}`;
}

/** Reads the output of `freehold restore`. Its lines about drift name keys, which may hold values of records. */
export function outcomeOf(end: CommandEnd): Pick<TestFacts, 'result' | 'problem'> {
  const lines = end.stdout.trim().split('\n');
  if (end.code === 0 && lines.at(-1) === 'nothing has drifted') return { result: 'passed' };
  if (end.code === 0) return { result: 'unverified', problem: (lines.at(-1) ?? '').slice(0, sentenceCharactersMax) };
  const drift = end.code === 1 ? /^drift: (\d+)$/m.exec(end.stdout)?.[1] : undefined;
  if (drift === undefined) return { result: 'failed', problem: problemOf(end) };
  const what = drift === '1' ? '1 thing has drifted' : `${drift} things have drifted`;
  return { result: 'drifted', problem: `${what}: \`freehold restore\` into an empty folder lists them` };
}
