/** Whether the rounds find what is planted: those that do not would find nothing else either. */
import { AssertionError } from 'node:assert/strict';
import type { StartOptions } from '../platform.ts';
import { begin, holdTo, type Run, startAgain, writeUntilKilled } from './round.ts';

/** A kill may come at a moment in which the damage or the fault does no harm, as where all was just checkpointed. */
const roundsMax = 10;

/** Passes where a round with this damage to the files fails. */
export function findDamage(chance: () => number, damage: (dataDir: string) => void): Promise<string> {
  return findInRounds(chance, {}, damage);
}

/** Passes where a round on a platform with this fault fails. */
export function findFault(chance: () => number, preloaded: URL): Promise<string> {
  return findInRounds(chance, { nodeFlags: ['--import', preloaded.href] }, () => {});
}

async function findInRounds(
  chance: () => number,
  options: Pick<StartOptions, 'nodeFlags'>,
  damage: (dataDir: string) => void,
): Promise<string> {
  let run: Run = await begin();
  for (let round = 1; round <= roundsMax; round++) {
    // What was there before the round is out of the damage's reach.
    await run.platform.terminate();
    const damaged = await startAgain(run, options);
    const entries = await writeUntilKilled(damaged, chance);
    damage(damaged.platform.dataDir);
    const held = await findingOf(() => holdTo(damaged, entries));
    if (typeof held === 'string') return `found in round ${round}, as ${held}`;
    run = held.next;
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
