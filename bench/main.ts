/**
 * CPU per request of the platform, as a ratio to a bare `node:http` server that answers as many bytes.
 *
 *   npm run bench -- [--short] [--only item,list,create] [--awake] [--save]
 *
 * Both servers run with the same Node flags and are measured in the same run, in turns (bare, platform, bare, …), so
 * that a busy machine slows both; the ratio given is the median of the rounds. The load comes from a third process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import {
  type Cost,
  compete,
  connections,
  job,
  median,
  medianCost,
  nodeFlags,
  type Plan,
  plans,
  type Server,
} from './measure.ts';
import { prepareScenarios, type Scenario, scenarioNames } from './scenarios.ts';

interface Result {
  readonly name: string;
  readonly title: string;
  readonly target: number;
  readonly ratio: number;
  readonly ratios: readonly number[];
  readonly bare: Cost;
  readonly platform: Cost;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean' },
      awake: { type: 'boolean' },
      save: { type: 'boolean' },
      only: { type: 'string' },
    },
  });
  const plan: Plan = { ...(values.short ? plans.short : plans.full), staysAwake: values.awake === true };
  const wanted = values.only?.split(',') ?? scenarioNames;
  const unknown = wanted.filter((name) => !scenarioNames.some((known) => known === name));
  if (unknown.length > 0) throw new TypeError(`there is no scenario ${unknown.join(', ')}`);

  const platform = await startPlatform({ nodeFlags, ipc: true });
  const bare = await startBare();
  const load = fork(join(import.meta.dirname, 'load.ts'));
  try {
    const scenarios = await prepareScenarios(platform);
    const servers = { bare, platform: { child: platform.child, port: Number(new URL(platform.app).port) } };
    const results: Result[] = [];
    for (const scenario of scenarios.filter(({ name }) => wanted.includes(name))) {
      results.push(await compareToBare(scenario, servers, { load, plan }));
    }
    print(results, plan);
    if (values.save) save(results, plan);
  } finally {
    load.kill();
    bare.child.kill();
    await platform.terminate();
  }
}

async function startBare(): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'bare.ts'), { execArgv: nodeFlags, silent: true });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return { child, port: Number(line.toString().replace('ready ', '')) };
}

async function compareToBare(
  scenario: Scenario,
  servers: { readonly bare: Server; readonly platform: Server },
  { load, plan }: { readonly load: ChildProcess; readonly plan: Plan },
): Promise<Result> {
  const answer = { ...scenario, path: `/${scenario.status}/${scenario.answerBytes}` };
  const contest = {
    bare: { server: servers.bare, job: job(servers.bare, plan, answer) },
    platform: { server: servers.platform, job: job(servers.platform, plan, scenario) },
  };
  const rounds = await compete(contest, plan, load);
  const ratios = rounds.map((round) => round.platform.cpuMicroseconds / round.bare.cpuMicroseconds);
  return {
    name: scenario.name,
    title: scenario.title,
    target: scenario.target,
    ratio: median(ratios),
    ratios,
    bare: medianCost(rounds.map((round) => round.bare)),
    platform: medianCost(rounds.map((round) => round.platform)),
  };
}

function print(results: readonly Result[], plan: Plan): void {
  const rows = results.map(({ title, ratio, target, bare, platform }) => ({
    request: title,
    ratio: ratio.toFixed(2),
    target: target.toFixed(1),
    verdict: ratio <= target ? 'within' : 'over',
    'CPU µs': platform.cpuMicroseconds.toFixed(1),
    'bare µs': bare.cpuMicroseconds.toFixed(1),
    'requests/s': Math.round(platform.requestsPerSecond),
    'bare/s': Math.round(bare.requestsPerSecond),
  }));
  console.log(
    `Node ${process.version}, ${connections} connections, ${plan.rounds} rounds of ${plan.requests} requests`,
  );
  console.table(rows);
}

function save(results: readonly Result[], plan: Plan): void {
  const at = new Date().toISOString();
  const directory = join(import.meta.dirname, 'results');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${at.replaceAll(':', '-')}.json`);
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  writeFileSync(path, `${JSON.stringify({ at, ...machine, connections, plan, results }, undefined, 2)}\n`);
  console.log(`saved as ${path}`);
}

await main();
