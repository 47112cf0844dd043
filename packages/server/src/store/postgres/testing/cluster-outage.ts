/**
 * The time of calls over HTTP while one server of a cluster of Citus is stopped: those for workspaces of the other
 * servers, and those for its own, which get a 503.
 *
 *   FREEHOLD_TEST_CITUS=postgres://…,postgres://…,postgres://… npm run bench -- outage [--seconds 10] [--pause 20]
 *
 * All servers must run on this machine, and do nothing else meanwhile. A client for each workspace calls in turns, with
 * a pause of so many milliseconds after each reply.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { create, list, type Outcome, type Workspace, workspacesByServer } from './cluster-platform.ts';
import { eventually } from './eventually.ts';
import { startPlatform } from './platform-on-server.ts';
import { serverProcess, signalAll } from './server-processes.ts';
import { testCluster, whyNotCluster } from './test-cluster.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, pause: { type: 'string', default: '20' } },
});

interface Called {
  readonly name: string;
  readonly call: (workspace: Workspace) => Promise<Outcome>;
}

const calls: readonly Called[] = [
  { name: 'list', call: list },
  { name: 'create', call: create },
];

async function main(): Promise<void> {
  if (whyNotCluster !== false) return say(whyNotCluster);
  const { url, workers, run } = testCluster();
  const [worker = ''] = workers;
  const server = await serverProcess(worker);
  if (server === undefined) throw new Error('the servers of the cluster run on another machine');
  const schema = `outage_${randomBytes(4).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'freehold-outage-'));
  const address = new URL(url);
  address.searchParams.set('schema', schema);
  const cleanUps: (() => unknown)[] = [];
  try {
    const places = { FREEHOLD_STORE: address.href, FREEHOLD_DATA_DIR: folder, FREEHOLD_CONSOLE: 'off' };
    const platform = await startPlatform({ after: (work) => cleanUps.push(work) }, places);
    const { hung, others } = await workspacesByServer({ ...platform, schema: `${schema}_test`, worker });
    say(`${others.length} workspaces on the other server, ${hung.length} on the stopped server`);
    await measure('warm-up', hung, others);
    await measure('before', hung, others);
    signalAll(server, 'SIGSTOP');
    await measure('stopped', hung, others);
    await measure('stopped, as the node knows', hung, others);
    signalAll(server, 'SIGCONT');
    await eventually('the server', async () => (await create(hung[0] as Workspace)).status === 201);
    await measure('after', hung, others);
  } finally {
    signalAll(server, 'SIGCONT');
    for (const work of cleanUps) await work();
    rmSync(folder, { recursive: true, force: true });
    for (const space of ['platform', 'test', 'prod']) await run(`drop schema if exists "${schema}_${space}" cascade`);
  }
}

async function measure(phase: string, hung: readonly Workspace[], others: readonly Workspace[]): Promise<void> {
  const [ofOthers, ofHung] = await Promise.all([callAll(others), callAll(hung)]);
  for (const [whose, outcomes] of [
    ['others', ofOthers],
    ['its own', ofHung],
  ] as const)
    for (const { name } of calls) say(`${phase} · ${whose} · ${name}: ${summed(outcomes.get(name) ?? [])}`);
}

async function callAll(workspaces: readonly Workspace[]): Promise<ReadonlyMap<string, Outcome[]>> {
  const outcomes = new Map<string, Outcome[]>(calls.map(({ name }) => [name, []]));
  const end = performance.now() + Number(values.seconds) * 1000;
  const clients = workspaces.map(async (workspace) => {
    while (performance.now() < end)
      for (const { name, call } of calls) {
        outcomes.get(name)?.push(await call(workspace));
        await after(Number(values.pause));
      }
  });
  await Promise.all(clients);
  return outcomes;
}

function summed(outcomes: readonly Outcome[]): string {
  const times = outcomes.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  const at = (share: number) =>
    `${(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0)} ms`;
  const statuses = Map.groupBy(outcomes, ({ status }) => status);
  const counted = [...statuses].map(([status, { length }]) => `${length} × ${status}`).join(', ');
  return `${counted}; median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
