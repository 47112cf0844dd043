/** What a server spends on one kind of request: the load comes from a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Call, Done, Job } from './load.ts';
import type { Scenario } from './scenarios.ts';

export interface Plan {
  readonly rounds: number;
  /** Sent before the first round: a server's code keeps getting faster for tens of thousands of requests. */
  readonly warmUpRequests: number;
  readonly requests: number;
  readonly millisecondsMax: number;
  /** Whether the load never sleeps, so that no answer pays for waking it. */
  readonly staysAwake: boolean;
}

export const plans = {
  full: { rounds: 9, warmUpRequests: 60_000, requests: 8000, millisecondsMax: 10_000 },
  short: { rounds: 3, warmUpRequests: 40_000, requests: 3000, millisecondsMax: 3_000 },
} as const satisfies Record<string, Omit<Plan, 'staysAwake'>>;

export const connections = 32;
export const nodeFlags = ['--import', join(import.meta.dirname, 'report-cpu.ts')];

export interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

/** The data that are sent, and how it has to be answered. */
export interface Request extends Pick<Scenario, 'method' | 'path' | 'token' | 'body' | 'status'> {
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Cost {
  readonly cpuMicroseconds: number;
  readonly requestsPerSecond: number;
}

/** The same requests in each round. */
export function job(server: Server, plan: Plan, ...requests: readonly Request[]): Job {
  return {
    port: server.port,
    connections,
    requests: plan.requests,
    milliseconds: plan.millisecondsMax,
    staysAwake: plan.staysAwake,
    calls: requests.map((request) => call(server, request)),
  };
}

function call(server: Server, { method, path, token, headers = {}, body, status }: Request): Call {
  const content = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${bytes(body)}\r\n`;
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${token}\r\n`;
  return { request: `${head}${named.join('')}${content}\r\n${body ?? ''}`, status };
}

/** Servers and what each is asked, distinguished by name. A function is asked for the job of each round. */
export type Contest<Name extends string> = Readonly<
  Record<Name, { readonly server: Server; readonly job: Job | (() => Job) }>
>;

/**
 * The costs of each, round by round: they take turns, so that a busy machine slows all of them. Each round has the
 * reverse order of the one before.
 */
export async function compete<Name extends string>(
  contest: Contest<Name>,
  plan: Plan,
  load: ChildProcess,
): Promise<readonly Readonly<Record<Name, Cost>>[]> {
  const names = Object.keys(contest) as Name[];
  const rounds: Record<Name, Cost>[] = [];
  const warmUps = Math.ceil(plan.warmUpRequests / plan.requests);
  for (let round = -warmUps; round < plan.rounds; round++) {
    const costs: (readonly [Name, Cost])[] = [];
    for (const name of names) {
      const { server, job } = contest[name];
      costs.push([name, await measure(server, current(job), load)]);
    }
    if (round >= 0) rounds.push(Object.fromEntries(costs) as Record<Name, Cost>);
    names.reverse();
  }
  return rounds;
}

function current(job: Job | (() => Job)): Job {
  return typeof job === 'function' ? job() : job;
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

export function medianCost(costs: readonly Cost[]): Cost {
  return {
    cpuMicroseconds: median(costs.map((cost) => cost.cpuMicroseconds)),
    requestsPerSecond: median(costs.map((cost) => cost.requestsPerSecond)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
