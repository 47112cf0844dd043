/** Whether the rounds find what is planted: those that do not would find nothing else either. */
import { AssertionError } from 'node:assert/strict';
import { begin, holdTo, type Run, startAgain, writeUntilKilled } from './round.ts';

/** Passes where a round with this damage to the files fails. */
export async function findDamage(chance: () => number, damage: (dataDir: string) => void): Promise<string> {
  const begun = await begin();
  // What was there before the round is out of the damage's reach.
  await begun.platform.terminate();
  const run = await startAgain(begun);
  const entries = await writeUntilKilled(run, chance);
  damage(run.platform.dataDir);
  const finding = await findingOf(() => holdTo(run, entries));
  if (typeof finding !== 'string') throw new Error('it was not found');
  return `found, as ${finding}`;
}

/** A kill may come at a moment in which the fault does no harm. */
const roundsMax = 10;

/** Passes where a round on a platform with this fault fails. */
export async function findFault(chance: () => number, preloaded: URL): Promise<string> {
  const begun = await begin();
  await begun.platform.terminate();
  let run: Run = begun;
  for (let round = 1; round <= roundsMax; round++) {
    const faulty = await startAgain(run, { nodeFlags: ['--import', preloaded.href] });
    const entries = await writeUntilKilled(faulty, chance);
    const held = await findingOf(() => holdTo(faulty, entries));
    if (typeof held === 'string') return `found in round ${round}, as ${held}`;
    run = held.next;
    await run.platform.terminate();
  }
  throw new Error(`it was not found in ${roundsMax} rounds`);
}

/** What the work gives, or the first line of what is not as it should be. */
async function findingOf<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssertionError) return error.message.split('\n', 1)[0] ?? '';
    throw error;
  }
}
