/**
 * Kills a platform while it delivers events, starts it again, and holds their receiver to what was written.
 *
 *   npm run crash -- events [--rounds 20] [--seed 1] [--drained 25] [--planted]
 *
 * Four callers write orders, and three events send each create, update and removal to a receiver that fails in three of
 * ten calls; two more copy orders, as a record and by a run of two steps. `kill -9` comes 5 to 80 ms after a first answer. After each start nothing may have arrived that was not
 * written, no write may have two ids and no id two contents, and writes of one record arrive in their order. Every
 * `--drained` rounds and at the end each write has its event and each copy is there once, and nothing has drifted in the files. With `--planted` the
 * platform forgets events first, which the rounds have to find.
 */
import { parseArgs } from 'node:util';
import { chances } from './chances.ts';
import { EventRun, findLostEvents } from './event-round.ts';
import { Judge } from './judge.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      drained: { type: 'string', default: '25' },
      planted: { type: 'boolean', default: false },
    },
    // The word `events` itself.
    allowPositionals: true,
  });
  const [rounds, drained] = [Number(values.rounds), Number(values.drained)];
  const chance = chances(Number(values.seed));
  const judge = new Judge();
  if (values.planted) await judge.judge('planted: events are forgotten', () => findLostEvents(chance));
  const run = await EventRun.begin(chance);
  const startedAt = performance.now();
  for (let round = 1; round <= rounds && !judge.hasFailed; round++)
    await judge.judge(`round ${round}`, async () => {
      await run.writeUntilKilled();
      await run.startAgain();
      const reported = await run.hold();
      if (round % drained !== 0 && round !== rounds) return reported;
      const drainedReport = await run.drain();
      await run.verify();
      return `${reported}; drained: ${drainedReport}`;
    });
  if (judge.hasFailed) console.log(`the data folder was ${run.dataDir}`);
  else await judge.judge('the end', async () => run.end().then(() => run.report));
  console.log(`${rounds} rounds in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  judge.end();
}

await main();
