/**
 * The cost of the store's calls to the servers of a cluster of Citus, against one PostgreSQL: CPU of all processes of
 * the servers, both engines in one run, in turns.
 *
 *   FREEHOLD_TEST_CITUS=postgres://…,postgres://…,postgres://… FREEHOLD_TEST_POSTGRES=postgres://… \
 *     npm run bench -- cluster [--rounds 7] [--clients 1] [--scopes 16] [--only get,create]
 *
 * All servers must run on this machine, and do nothing else meanwhile. Each ratio is the median of the rounds' ratios,
 * with the quarters beside it.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../../../lib/clock.ts';
import type { OpenedStore, Scope } from '../../port.ts';
import { createChanges, fence, fill } from '../../testing/bench/creates.ts';
import { openPostgres } from '../open-postgres.ts';
import { cpuOf, serverProcess } from './server-processes.ts';
import { plainServer, testCluster, whyNotCluster } from './test-cluster.ts';
import { runOn } from './test-server.ts';

interface Side {
  readonly opened: OpenedStore;
  readonly scopes: readonly Scope[];
  readonly servers: readonly number[];
  close(): Promise<void>;
}

interface Work {
  readonly name: string;
  readonly calls: number;
  run(scope: Scope): Promise<unknown>;
}

const keysOfScope = 200;
const space = `cost_${process.pid}`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    clients: { type: 'string', default: '1' },
    scopes: { type: 'string', default: '16' },
    only: { type: 'string' },
  },
});

async function main(): Promise<void> {
  if (whyNotCluster !== false || plainServer === undefined) {
    say('skipped: FREEHOLD_TEST_CITUS names no cluster, or FREEHOLD_TEST_POSTGRES no server');
    return;
  }
  const { url, workers } = testCluster();
  const sides = [await open(plainServer, [plainServer]), await open(url, [url, ...workers])] as const;
  try {
    for (const work of works) if (values.only?.split(',').includes(work.name) ?? true) await measure(work, sides);
  } finally {
    for (const side of sides) await side.close();
  }
}

async function open(url: string, servers: readonly string[]): Promise<Side> {
  const found = await Promise.all(servers.map(serverProcess));
  const here = found.filter((pid) => pid !== undefined);
  if (here.length < servers.length) throw new Error('a server runs on another machine');
  const opened = await openPostgres({ url, space, clock: systemClock });
  const scopes = Array.from({ length: Number(values.scopes) }, (_, index) => opened.store.scope(`cost/${index}`));
  for (const scope of scopes) {
    await scope.commit([fence]);
    await fill(scope, { pk: 'read', records: keysOfScope });
    await scope.commit(keys.map((sk) => ({ kind: 'put', pk: 'some', sk, value: 'x'.repeat(400), if: 'any' })));
  }
  const server = new URL(url);
  server.search = '';
  await runOn(server.href, 'vacuum analyze');
  return {
    opened,
    scopes,
    servers: here,
    async close() {
      await opened.store.close();
      await runOn(server.href, `drop schema "freehold_${space}" cascade`);
    },
  };
}

const keys = Array.from({ length: keysOfScope }, (_, index) => `k${String(index).padStart(4, '0')}`);
const someKey = () => keys[Math.floor(Math.random() * keysOfScope)] ?? '';

const works: readonly Work[] = [
  { name: 'get', calls: 6000, run: (scope) => scope.get([{ pk: 'some', sk: someKey() }]) },
  {
    name: 'get of 5',
    calls: 2000,
    run: (scope) => scope.get(Array.from({ length: 5 }, () => ({ pk: 'some', sk: someKey() }))),
  },
  {
    name: 'get of 2 partitions',
    calls: 2000,
    run: (scope) =>
      scope.get([
        { pk: 'some', sk: someKey() },
        { pk: 'fence', sk: 'f' },
      ]),
  },
  { name: 'list', calls: 1000, run: (scope) => scope.range('some', { after: keys[20] ?? '', limit: 50 }) },
  { name: 'list by index', calls: 700, run: (scope) => scope.follow('index#read', { limit: 50 }) },
  { name: 'count', calls: 700, run: (scope) => scope.count('some', {}, 100) },
  { name: 'create', calls: 700, run: (scope) => scope.commit(createChanges()) },
];

async function measure(work: Work, sides: readonly [Side, Side]): Promise<void> {
  // Each session prepares its statements.
  for (const side of sides) await run({ ...work, calls: work.calls }, side);
  const costs: (readonly [number, number])[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const first = await run(work, sides[0]);
    costs.push([first, await run(work, sides[1])]);
  }
  const ratios = costs.map(([plain, cluster]) => cluster / plain).toSorted((left, right) => left - right);
  const at = (share: number) => (ratios[Math.floor(ratios.length * share)] ?? Number.NaN).toFixed(2);
  const medianOf = (side: 0 | 1) =>
    costs.map((cost) => cost[side]).toSorted((left, right) => left - right)[costs.length >> 1] ?? Number.NaN;
  const each = `${medianOf(0).toFixed(0).padStart(6)} µs ${medianOf(1).toFixed(0).padStart(6)} µs`;
  say(`${work.name.padEnd(20)}${each}   × ${at(0.5)} (${at(0.25)}–${at(0.75)})`);
}

/** Microseconds of CPU of the servers for a call. */
async function run({ calls, run: call }: Work, { scopes, servers }: Side): Promise<number> {
  const used = () => servers.reduce((sum, server) => sum + cpuOf(server), 0);
  const before = used();
  let done = 0;
  const client = async () => {
    for (let scope = scopes[done % scopes.length]; done < calls && scope !== undefined; ) {
      done++;
      await call(scope);
      scope = scopes[done % scopes.length];
    }
  };
  await Promise.all(Array.from({ length: Number(values.clients) }, client));
  return ((used() - before) * 1000) / done;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
