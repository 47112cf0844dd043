/**
 * Kills a platform under load, starts it again and holds it to what it had answered.
 *
 *   npm run crash -- [--rounds 30] [--seed 1]
 *
 * In each round eight callers write; what they ask and are answered stands in a ledger. `kill -9` comes at a moment of
 * chance. Nothing may have drifted in the files as they were left, and after the start each line of the ledger has to be
 * read again; what had no answer is whole or absent, and counts once when it is repeated. Before the rounds, damage to
 * the files is planted and then a platform that stores badly, and the rounds have to find each.
 */
import { parseArgs } from 'node:util';
import { findDamage, findFault } from './find-planted.ts';
import { plantedDamage } from './planted-damage.ts';
import { plantedFaults } from './planted-faults.ts';
import { begin, holdTo, writeUntilKilled } from './round.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
  });
  const chance = chances(Number(values.seed));
  let [passed, failed] = [0, 0];
  const judge = async (what: string, work: () => Promise<string>): Promise<void> => {
    try {
      console.log(`ok    ${what}: ${await work()}`);
      passed += 1;
    } catch (error) {
      console.log(`FAIL  ${what}: ${error instanceof Error ? error.message : String(error)}`);
      failed += 1;
    }
  };
  for (const [name, damage] of Object.entries(plantedDamage))
    await judge(`planted: ${name}`, () => findDamage(chance, damage));
  for (const [name, preloaded] of Object.entries(plantedFaults))
    await judge(`planted: ${name}`, () => findFault(chance, preloaded));
  let run = await begin();
  for (let round = 1; round <= Number(values.rounds) && failed === 0; round++)
    await judge(`round ${round}`, async () => {
      const { next, told } = await holdTo(run, await writeUntilKilled(run, chance));
      run = next;
      return told;
    });
  if (failed > 0) console.log(`the data folder was ${run.platform.dataDir}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  // Platforms of rounds that failed still run; they end with this process.
  process.exit(failed > 0 ? 1 : 0);
}

/** The mulberry32 generator: the same numbers for the same seed. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

await main();
