/**
 * What requests cost where an entity has a million records, as a ratio to where it has a thousand.
 *
 *   npm run bench:growth -- [--records 1000000]
 *
 * Two platforms with data of their own are measured in the same run, in turns; each ratio is the median of the rounds.
 * The records come in by an import, which takes about two minutes for a million.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { appUrl, defineEntity, foundedOrg, list } from '../packages/acceptance/src/org.ts';
import { type Platform, startPlatform } from '../packages/acceptance/src/platform.ts';
import { compete, connections, job, median, medianCost, nodeFlags, plans, type Server } from './measure.ts';
import { csv, orders, send } from './orders.ts';

const fewRecords = 1000;
const target = 1.5;
const plan = { ...plans.full, staysAwake: false };

const requests = {
  'list of 20 by an indexed filter': '/list/order?region=region%203&pagesize=20',
  'list of 20 in the order of an index': '/list/order?sortby=region&pagesize=20',
  'list of 20, the newest': '/list/order?pagesize=20',
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });
  const records = Number(values.records);
  const [few, many] = [await filled(fewRecords), await filled(records)];
  const load = fork(join(import.meta.dirname, 'load.ts'));
  try {
    const rows = [];
    for (const [title, path] of Object.entries(requests)) {
      const contest = { few: few.asked(path), many: many.asked(path) };
      const rounds = await compete(contest, plan, load);
      const ratio = median(rounds.map((round) => round.many.cpuMicroseconds / round.few.cpuMicroseconds));
      const [small, large] = [medianCost(rounds.map((one) => one.few)), medianCost(rounds.map((one) => one.many))];
      rows.push({
        request: title,
        ratio: ratio.toFixed(2),
        target: target.toFixed(1),
        verdict: ratio <= target ? 'within' : 'over',
        'CPU µs': large.cpuMicroseconds.toFixed(1),
        [`CPU µs of ${fewRecords}`]: small.cpuMicroseconds.toFixed(1),
        'requests/s': Math.round(large.requestsPerSecond),
        [`requests/s of ${fewRecords}`]: Math.round(small.requestsPerSecond),
      });
    }
    console.log(`Node ${process.version}, ${records} records, ${connections} connections, ${plan.rounds} rounds`);
    console.table(rows);
  } finally {
    load.kill();
    await Promise.all([few.platform.terminate(), many.platform.terminate()]);
  }
}

/** A platform whose only entity has so many records. */
async function filled(records: number) {
  const platform = await startPlatform({ nodeFlags, ipc: true });
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, orders('order'));
  const begun = performance.now();
  await send(founder, '/import/order', csv(records));
  console.log(`${records} records were imported in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  const { items } = await list(founder, 'order', '?pagesize=20');
  if (items.length !== 20) throw new Error(`a page of ${items.length} records`);
  const server: Server = { child: platform.child, port: portOf(platform) };
  const asked = (path: string) => {
    const url = new URL(appUrl(org, path));
    const request = { method: 'GET', path: url.pathname + url.search, token: founder.token, status: 200 } as const;
    return { server, job: job(server, plan, request) };
  };
  return { platform, asked };
}

function portOf({ app }: Platform): number {
  return Number(new URL(app).port);
}

await main();
