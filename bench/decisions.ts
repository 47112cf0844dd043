/**
 * What recording decisions costs a get, as a share of all that the get costs in the same process.
 *
 *   npm run bench -- decisions
 *
 * A platform is asked for gets over HTTP, by callers with action policies alone and with a row rule. After each round the
 * same process authorizes gets with the record on and off, in turns (`decision-cost.ts`), which shows what recording costs:
 * a hundredth of a get is too little to be seen in whole gets. Medians count. It fails where recording takes more than 1 %.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import { compete, job, median } from './measure.ts';
import { prepareWork, type RuleName, ruleNames } from './pair/work.ts';

const shareMax = 0.01;
const turns = 3;
const plan = { rounds: 5, warmUpRequests: 10_000, requests: 2000, millisecondsMax: 20_000, staysAwake: false };
const extent = { records: 10_000, orgs: 1, statements: 1, events: 0 } as const;
const measured = join(import.meta.dirname, '..', 'packages/server/src/authorize/testing/decision-cost.ts');

type Costs = Readonly<Record<RuleName, readonly number[]>>;

async function main(): Promise<void> {
  const platform = await startPlatform({ nodeFlags: ['--import', measured], ipc: true });
  const load = fork(join(import.meta.dirname, 'load.ts'));
  try {
    const works = await prepareWork(platform, ruleNames, extent);
    const server = { child: platform.child, port: Number(new URL(platform.app).port) };
    const calls = (rule: RuleName) => job(server, plan, ...(works.get(rule)?.('get', plan.requests) ?? []));
    const contest = {
      actions: { server, job: () => calls('actions') },
      row: { server, job: () => calls('row') },
    };
    const gets = { actions: [] as number[], row: [] as number[] };
    const records = { actions: [] as number[], row: [] as number[] };
    for (let turn = 0; turn < turns; turn++) {
      const rounds = await compete(contest, plan, load);
      const answer = once(platform.child, 'message');
      platform.child.send('record');
      const [costs] = (await answer) as [Costs];
      for (const rule of ruleNames) {
        gets[rule].push(...rounds.map((round) => round[rule].cpuMicroseconds));
        records[rule].push(...costs[rule]);
      }
    }
    report(gets, records);
  } finally {
    load.kill();
    await platform.terminate();
  }
}

function report(gets: Costs, records: Costs): void {
  console.log(`Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  console.table(
    ruleNames.map((rule) => ({
      'get by': rule === 'row' ? 'a row rule' : 'action policies alone',
      'CPU µs of a get': median(gets[rule]).toFixed(1),
      'µs of recording it': median(records[rule]).toFixed(3),
      quarters: [0.25, 0.75].map((part) => quantile(records[rule], part).toFixed(3)).join(' to '),
      share: `${(100 * share(rule)).toFixed(2)} %`,
    })),
  );
  const over = ruleNames.filter((rule) => share(rule) > shareMax);
  if (over.length === 0) return;
  console.log(`recording takes more than ${100 * shareMax} % of a get`);
  process.exitCode = 1;

  function share(rule: RuleName): number {
    return median(records[rule]) / median(gets[rule]);
  }
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((left, right) => left - right)[Math.floor(part * values.length)] ?? Number.NaN;
}

await main();
