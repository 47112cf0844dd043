/** Whether the rounds find what is planted: those that do not would find nothing else either. */
import { AssertionError } from 'node:assert/strict';
import type { DamagePlan } from './planted-damage.ts';
import { begin, type CrashRun, holdTo, startAgain, writeUntilKilled } from './round.ts';

/** A kill may come at a moment in which a fault does no harm, as between two commits: on a busy machine most do. */
const roundsMax = 40;

/** Passes where a round with this damage to the files fails. */
export function findDamage(chance: () => number, plan: DamagePlan): Promise<string> {
  return findInRounds(async (run) => {
    const damage = plan(run.platform.dataDir);
    const damaged = await startAgain(run);
    const entries = await writeUntilKilled(damaged, chance);
    damage();
    return findingOf(() => holdTo(damaged, entries));
  });
}

/** Passes where a round on a platform with this fault fails. */
export function findFault(chance: () => number, preloaded: URL): Promise<string> {
  return findInRounds(async (run) => {
    const faulty = await startAgain(run, { nodeFlags: ['--import', preloaded.href] });
    return findingOf(async () => holdTo(faulty, await writeUntilKilled(faulty, chance)));
  });
}

async function findInRounds(round: (run: CrashRun) => Promise<{ readonly next: CrashRun } | string>): Promise<string> {
  let run: CrashRun = await begin();
  for (let number = 1; number <= roundsMax; number++) {
    // What was there before the round is out of the damage's reach.
    await run.platform.terminate();
    const held = await round(run);
    if (typeof held === 'string') return `found in round ${number}, as ${held}`;
    run = held.next;
  }
  throw new Error(`it was not found in ${roundsMax} rounds`);
}

/** The result of the work, or the first line of what is not as it should be. */
async function findingOf<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssertionError) return error.message.split('\n', 1)[0] ?? '';
    throw error;
  }
}
