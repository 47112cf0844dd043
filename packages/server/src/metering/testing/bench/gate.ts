/**
 * Measures the cost of counting a call by itself, and of holding a write to a plan, in CPU of this process.
 *
 * npm run bench -- gate
 *
 * In each round so many writes go by without either, counted alone, and held to a plan without limits and with all of
 * them; nothing is committed. The result is the median of the rounds, less that of the writes without either.
 */
import { systemClock } from '../../../lib/clock.ts';
import { openStore } from '../../../store/testing/open-store.ts';
import { auditContext, type MeteredNode, openNode, place } from '../metered-org.ts';

const rounds = 15;
const writes = 200_000;
const plenty = { api_calls_per_day: 1e12, api_calls_per_month: 1e12, records: 1e12 };
const write = { records: 1, isRemoval: false };

async function main(): Promise<void> {
  const ways = {
    'without either': async () => nothing,
    counted: async () => counted(await nodeWith({})),
    'without limits': async () => gated(await nodeWith({})),
    'with all limits': async () => gated(await nodeWith(plenty)),
  };
  const costs = new Map(Object.keys(ways).map((way) => [way, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const [way, open] of Object.entries(ways)) costs.get(way)?.push(await costOf(await open()));
  const bare = median(costs.get('without either') ?? []);
  const lines = [...costs].map(([way, all]) => `${(median(all) - bare).toFixed(2)} µs of CPU ${way}\n`);
  process.stdout.write(`Node ${process.version}, ${rounds} rounds of ${writes} writes\n${lines.join('')}`);
}

async function nodeWith(limits: object): Promise<MeteredNode> {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const node = openNode(store, systemClock, 'one');
  await node.plans.set('acme', { name: 'own', limits }, auditContext);
  return node;
}

/** Microseconds. */
async function costOf(work: () => Promise<void>): Promise<number> {
  for (let made = 0; made < writes / 10; made++) await work();
  const before = process.cpuUsage();
  for (let made = 0; made < writes; made++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / writes;
}

async function nothing(): Promise<void> {}

function counted({ meter }: MeteredNode): () => Promise<void> {
  return async () => meter.count(place);
}

/** As a request goes: it is looked at when it comes, takes a place before its commit and gives it back after it. */
function gated({ meter, gate }: MeteredNode): () => Promise<void> {
  return async () => {
    const checked = gate.check(place.orgCode);
    if (checked !== undefined) await checked;
    const admitted = gate.admit(place, write);
    const pass = admitted instanceof Promise ? await admitted : admitted;
    pass.written();
    meter.count(place);
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

await main();
