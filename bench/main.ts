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
import type { Done, Job } from './load.ts';
import { prepareScenarios, type Scenario, scenarioNames } from './scenarios.ts';

interface Plan {
  readonly rounds: number;
  /** Sent before the first round: a server's code keeps getting faster for tens of thousands of requests. */
  readonly warmUpRequests: number;
  readonly requests: number;
  readonly millisecondsMax: number;
  /** Whether the load never sleeps, so that no answer pays for waking it. */
  readonly staysAwake: boolean;
}

const plans = {
  full: { rounds: 9, warmUpRequests: 60_000, requests: 8000, millisecondsMax: 10_000 },
  short: { rounds: 3, warmUpRequests: 40_000, requests: 3000, millisecondsMax: 3_000 },
} as const satisfies Record<string, Omit<Plan, 'staysAwake'>>;

const connections = 32;
const nodeFlags = ['--import', join(import.meta.dirname, 'report-cpu.ts')];

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

interface Cost {
  readonly cpuMicroseconds: number;
  readonly requestsPerSecond: number;
}

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
      results.push(await compare(scenario, servers, { load, plan }));
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

interface Means {
  readonly load: ChildProcess;
  readonly plan: Plan;
}

async function compare(
  scenario: Scenario,
  servers: { readonly bare: Server; readonly platform: Server },
  means: Means,
): Promise<Result> {
  const jobs = {
    bare: job(servers.bare, means.plan, { ...scenario, path: `/${scenario.status}/${scenario.answerBytes}` }),
    platform: job(servers.platform, means.plan, scenario),
  };
  for (const side of ['bare', 'platform'] as const) {
    await measure(servers[side], { ...jobs[side], requests: means.plan.warmUpRequests }, means.load);
  }
  const rounds: { bare: Cost; platform: Cost }[] = [];
  for (let round = 0; round < means.plan.rounds; round++) {
    rounds.push({
      bare: await measure(servers.bare, jobs.bare, means.load),
      platform: await measure(servers.platform, jobs.platform, means.load),
    });
  }
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

function job(server: Server, plan: Plan, { method, path, token, body, status }: Scenario): Job {
  const content = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${bytes(body)}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${token}\r\n`;
  return {
    port: server.port,
    connections,
    requests: plan.requests,
    milliseconds: plan.millisecondsMax,
    staysAwake: plan.staysAwake,
    request: `${head}${content}\r\n${body ?? ''}`,
    status,
  };
}

async function measure(server: Server, job: Job, load: ChildProcess): Promise<Cost> {
  const before = await ask<{ cpuMicroseconds: number }>(server.child, 'cpu');
  const done = await ask<Done>(load, job);
  const after = await ask<{ cpuMicroseconds: number }>(server.child, 'cpu');
  if (done.failure !== undefined || done.requests === 0) throw new Error(`the load failed: ${done.failure}`);
  return {
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / done.requests,
    requestsPerSecond: (done.requests * 1000) / done.milliseconds,
  };
}

async function ask<Answer>(child: ChildProcess, question: Job | string): Promise<Answer> {
  const answer = once(child, 'message');
  child.send(question);
  return ((await answer) as [Answer])[0];
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

function medianCost(costs: readonly Cost[]): Cost {
  return {
    cpuMicroseconds: median(costs.map((cost) => cost.cpuMicroseconds)),
    requestsPerSecond: median(costs.map((cost) => cost.requestsPerSecond)),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

await main();
