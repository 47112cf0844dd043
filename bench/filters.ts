/**
 * What filters and sorts cost: pages of 20 records, found by an index or one record after the other, by fields of their own
 * and by fields of the records that they look up, in turns.
 *
 * npm run bench -- filters [--rounds 200] [--customers 400]
 *
 * Each customer has ten tickets, and one customer in 40 is gold.
 */
import { parseArgs } from 'node:util';
import { creating, together } from '../packages/acceptance/src/batches.ts';
import { type AppUser, act, defineEntity, definition, foundedOrg } from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import { printRatios, type Run } from './in-turns.ts';

const ticketsOfEach = 10;
const goldenOf = 40;
const batch = 100;

const customerFields = [{ name: 'tier', index: true }, { name: 'plain_tier' }];
const ticketFields = [
  { name: 'tier', index: true },
  { name: 'plain_tier' },
  { name: 'status' },
  { name: 'minutes', colType: 'integer', index: true },
  { name: 'rank', colType: 'integer', index: true },
  { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '200' }, customers: { type: 'string', default: '400' } },
  });
  const platform = await startPlatform();
  try {
    const { org, founder } = await foundedOrg(platform);
    await defineEntity(org, definition('customer', customerFields));
    const indexes = [{ fields: ['status', '-minutes'] }];
    await defineEntity(org, { ...definition('ticket', ticketFields), indexes });
    const tickets = await fill(founder, Number(values.customers));
    console.log(`Node ${process.version}, ${values.rounds} rounds, pages of 20 of ${tickets} records`);
    await printRatios(runsOf(founder), Number(values.rounds));
  } finally {
    await platform.terminate();
  }
}

async function fill(user: AppUser, count: number): Promise<number> {
  const tierOf = (customer: number): string => (customer % goldenOf === 0 ? 'gold' : 'tin');
  const tiersOf = (customer: number) => ({ tier: tierOf(customer), plain_tier: tierOf(customer) });
  const customers = await createAll(
    user,
    'customer',
    Array.from({ length: count }, (_, at) => tiersOf(at)),
  );
  const tickets = Array.from({ length: count * ticketsOfEach }, (_, at) => ({
    ...tiersOf(at % count),
    status: at % 5 === 0 ? 'open' : 'done',
    minutes: (at * 7919) % 1000,
    rank: (at * 7919) % 1000,
    customer_id: customers[at % count],
  }));
  return (await createAll(user, 'ticket', tickets)).length;
}

async function createAll(user: AppUser, entity: string, bodies: readonly object[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let from = 0; from < bodies.length; from += batch) {
    const made = await together(
      user,
      bodies.slice(from, from + batch).map((body) => creating(entity, body)),
    );
    ids.push(...made.flatMap(({ id }) => id ?? []));
  }
  return ids;
}

function runsOf(user: AppUser): ReadonlyMap<string, Run> {
  const get = (query: Readonly<Record<string, string>>) => async (): Promise<void> => {
    const { status, text } = await act(user, 'GET', `/list/ticket?${new URLSearchParams(query)}`);
    if (status !== 200) throw new Error(`${JSON.stringify(query)} was answered ${status} ${text}`);
  };
  const where = (filter: string): Run => get({ filter });
  return new Map([
    ['all, the newest first', get({})],
    ['its own field, by an index', where('tier == "gold"')],
    ['its own field, record by record', where('plain_tier == "gold"')],
    ['over the lookup, by indexes', where('customer_id.tier == "gold"')],
    ['over the lookup, record by record', where('customer_id.plain_tier == "gold"')],
    ['sorted by a field', get({ sortby: 'minutes', sortdir: 'desc' })],
    ['sorted by a field of the lookup', get({ sortby: 'customer_id.tier', sortdir: 'desc' })],
    ['sorted by two fields', get({ sortby: 'status,minutes', sortdir: 'asc,desc' })],
    ['of one status, sorted, by a compound index', get({ status: 'open', sortby: 'minutes', sortdir: 'desc' })],
    ['of one status, sorted, by the index of the sort', get({ status: 'open', sortby: 'rank', sortdir: 'desc' })],
  ]);
}

await main();
