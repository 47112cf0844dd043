import type { TestFacts } from './backup-facts.ts';
import type { CommandEnd } from './run-command.ts';

const charactersMax = 300;

/** Why a command did nothing, in one sentence. */
export function problemOf({ code, signal, stderr }: CommandEnd): string {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  if (last !== '') return last.slice(0, charactersMax).toWellFormed();
  return signal === null ? `its process ended with code ${code}` : `its process was ended by ${signal}`;
}

/** What `freehold restore` says of a backup. Its lines about drift name keys, which may hold values of records. */
export function outcomeOf(end: CommandEnd): Pick<TestFacts, 'result' | 'problem'> {
  const lines = end.stdout.trim().split('\n');
  if (end.code === 0 && lines.at(-1) === 'nothing has drifted') return { result: 'passed' };
  if (end.code === 0) return { result: 'unverified', problem: (lines.at(-1) ?? '').slice(0, charactersMax) };
  const drift = end.code === 1 ? /^drift: (\d+)$/m.exec(end.stdout)?.[1] : undefined;
  if (drift === undefined) return { result: 'failed', problem: problemOf(end) };
  const what = drift === '1' ? '1 thing has drifted' : `${drift} things have drifted`;
  return { result: 'drifted', problem: `${what}: \`freehold restore\` into an empty folder lists them` };
}
