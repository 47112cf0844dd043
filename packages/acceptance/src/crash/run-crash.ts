/**
 * Kills a platform under load, starts it again and holds it to what it had answered.
 *
 *   npm run crash -- [--rounds 30] [--seed 1]
 *   npm run crash -- events […]                  of deliveries: `run-event-crash.ts`
 *
 * In each round eight callers write; what they ask and are answered stands in a ledger. `kill -9` comes at a moment of
 * chance. Nothing may have drifted in the files as they were left, and after the start each line of the ledger has to be
 * read again; what had no answer is whole or absent, and counts once when it is repeated. Before the rounds, damage to
 * the files is planted and then a platform that stores badly, and the rounds have to find each.
 */
import { parseArgs } from 'node:util';
import { chances } from './chances.ts';
import { findDamage, findFault } from './find-planted.ts';
import { Judge } from './judge.ts';
import { plantedDamage } from './planted-damage.ts';
import { plantedFaults } from './planted-faults.ts';
import { begin, holdTo, writeUntilKilled } from './round.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
  });
  const chance = chances(Number(values.seed));
  const judge = new Judge();
  for (const [name, damage] of Object.entries(plantedDamage))
    await judge.judge(`planted: ${name}`, () => findDamage(chance, damage));
  for (const [name, preloaded] of Object.entries(plantedFaults))
    await judge.judge(`planted: ${name}`, () => findFault(chance, preloaded));
  let run = await begin();
  for (let round = 1; round <= Number(values.rounds) && !judge.hasFailed; round++)
    await judge.judge(`round ${round}`, async () => {
      const { next, report } = await holdTo(run, await writeUntilKilled(run, chance));
      run = next;
      return report;
    });
  if (judge.hasFailed) console.log(`the data folder was ${run.platform.dataDir}`);
  judge.end();
}

if (process.argv[2] === 'events') await import('./run-event-crash.ts');
else await main();
