/**
 * Fails where a request costs half as much CPU again as is recorded.
 *
 *   npm run bench -- bound                 holds the platform to `ratios.json`
 *   npm run bench -- bound --record     measures them again, and writes them down
 *
 * Costs are ratios to a reference in the same process (`reference.ts`), which stay the same on a faster machine: both are
 * measured in turns, in many short rounds, of which the median counts. Where neighbours fill the caches of the processor, a
 * list costs a fifth more beside its reference; the bound is wider than that. A request is over it if it is in three starts
 * of the platform, one after the other.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPlatform } from '../../packages/acceptance/src/platform.ts';
import { compete, job, median, type Plan, type Request, type Server } from '../measure.ts';
import { prepareWork, type Work } from '../pair/work.ts';
import type { Report } from './reference.ts';

/** How many a round has of it, and how many rows the reference reads for each of its own answers beside it. */
const measured = {
  get: { requests: 400, rows: 1 },
  list: { requests: 200, rows: 20 },
  create: { requests: 150, rows: 20 },
} as const;
type Measured = keyof typeof measured;
const allNames = Object.keys(measured) as Measured[];

const overMax = 1.5;
const tries = 3;
const recordings = 5;
const rounds = 40;
const warmUpRounds = 20;
const connections = 8;
const extent = { records: 1000, orgs: 1, statements: 1, events: 0 } as const;
const file = join(import.meta.dirname, 'ratios.json');

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
  if (values.record) await record();
  else await hold();
}

async function hold(): Promise<void> {
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<Measured, number>>;
  let names: readonly Measured[] = allNames;
  for (let attempt = 1; attempt <= tries && names.length > 0; attempt++) {
    const ratios = await ratiosOf(names);
    const isOver = (name: Measured): boolean => (ratios.get(name) ?? Number.NaN) > overMax * recorded[name];
    console.log(`try ${attempt}, load ${loadavg()[0]?.toFixed(1)}`);
    console.table(
      names.map((name) => ({
        request: name,
        ratio: ratios.get(name)?.toFixed(2),
        recorded: recorded[name],
        bound: (overMax * recorded[name]).toFixed(2),
        verdict: isOver(name) ? 'over' : 'within',
      })),
    );
    names = names.filter(isOver);
  }
  if (names.length === 0) return;
  console.log(`${names.join(' and ')} cost too much CPU; where that is meant: npm run bench -- bound --record`);
  process.exitCode = 1;
}

async function record(): Promise<void> {
  const runs: ReadonlyMap<Measured, number>[] = [];
  for (let run = 0; run < recordings; run++) {
    runs.push(await ratiosOf(allNames));
    console.log(allNames.map((name) => `${name} ${runs.at(-1)?.get(name)?.toFixed(2)}`).join(', '));
  }
  const medianOf = (name: Measured): number => median(runs.map((run) => run.get(name) ?? Number.NaN));
  const ratios = Object.fromEntries(allNames.map((name) => [name, Math.round(100 * medianOf(name)) / 100]));
  writeFileSync(file, `${JSON.stringify(ratios, undefined, 2)}\n`);
}

/** What they cost on a platform that is started for this. */
async function ratiosOf(names: readonly Measured[]): Promise<ReadonlyMap<Measured, number>> {
  const nodeFlags = ['--import', join(import.meta.dirname, 'reference.ts')];
  const platform = await startPlatform({ nodeFlags, ipc: true });
  const load = fork(join(import.meta.dirname, '..', 'load.ts'));
  try {
    const work = (await prepareWork(platform, ['row'], extent)).get('row');
    if (work === undefined) throw new TypeError('the work of the rule is prepared');
    const report = once(platform.child, 'message');
    platform.child.send('report');
    const [{ referencePort }] = (await report) as [Report];
    const servers = {
      platform: { child: platform.child, port: Number(new URL(platform.app).port) },
      reference: { child: platform.child, port: referencePort },
    };
    const round = { servers, work, load };
    // All of them first: code that several kinds of request share is slower than where it serves one.
    for (const name of allNames) await costs(name, { ...round, rounds: 1 });
    const ratios = new Map<Measured, number>();
    for (const name of names) ratios.set(name, median(await costs(name, { ...round, rounds })));
    return ratios;
  } finally {
    load.kill();
    await platform.terminate();
  }
}

interface Round {
  readonly servers: Readonly<Record<'platform' | 'reference', Server>>;
  readonly work: Work;
  readonly load: ChildProcess;
  readonly rounds: number;
}

/** The ratio of each round. */
async function costs(name: Measured, { servers, work, load, rounds }: Round): Promise<readonly number[]> {
  const { requests, rows } = measured[name];
  const warmUpRequests = warmUpRounds * requests;
  const plan: Plan = { rounds, warmUpRequests, requests, millisecondsMax: 20_000, staysAwake: false };
  const contest = {
    platform: {
      server: servers.platform,
      job: () => ({ ...job(servers.platform, plan, ...work(name, requests)), connections }),
    },
    reference: {
      server: servers.reference,
      job: () => ({ ...job(servers.reference, plan, ...referenceRequests(requests, rows)), connections }),
    },
  };
  const costs = await compete(contest, plan, load);
  return costs.map(({ platform, reference }) => platform.cpuMicroseconds / reference.cpuMicroseconds);
}

function referenceRequests(count: number, rows: number): readonly Request[] {
  return Array.from({ length: count }, (_, place) => ({
    method: 'GET',
    path: `/?place=${place}&limit=${rows}`,
    token: 'x'.repeat(700),
    status: 200,
  }));
}

await main();
