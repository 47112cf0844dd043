/**
 * What related records cost: a list of 20 records with `expand`, or with a filter over a lookup, against the same list
 * without, and against the requests that a client would send instead, in turns.
 *
 * npm run bench:expand -- [--rounds 400]
 */
import { parseArgs } from 'node:util';
import { type AppUser, act, create, defineEntity, definition, foundedOrg } from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import { median } from './measure.ts';

const tickets = 20;
const commentsOfEach = 5;
const warmUpRounds = 50;

/** The requests that show the same, one after the other. */
type Run = () => Promise<void>;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '400' } } });
  const platform = await startPlatform();
  try {
    const { org, founder } = await foundedOrg(platform);
    for (const [name, ...lookups] of [['customer'], ['ticket', 'customer'], ['comment', 'ticket', 'customer']] as const)
      await defineEntity(org, definition(name, [{ name: 'title', colType: 'string' }, ...lookups.map(lookup)]));
    const ids = await fill(founder);
    const runs = runsOf(founder, ids);
    await timesOf(runs, warmUpRounds);
    const times = await timesOf(runs, Number(values.rounds));
    const alone = median(times.get('without') ?? []);
    console.log(`Node ${process.version}, ${values.rounds} rounds, a list of ${tickets} records`);
    console.table(
      [...times].map(([run, all]) => ({ run, ms: median(all).toFixed(2), ratio: (median(all) / alone).toFixed(2) })),
    );
  } finally {
    await platform.terminate();
  }
}

function lookup(entity: string) {
  return { name: `${entity}_id`, colType: 'guid', lookup: { entity } };
}

interface Ids {
  readonly customers: readonly string[];
  readonly tickets: readonly string[];
}

async function fill(user: AppUser): Promise<Ids> {
  const ids = { customers: [] as string[], tickets: [] as string[] };
  for (let index = 0; index < tickets; index++) {
    const customer_id = (await create(user, 'customer', { title: `customer ${index}` })).id;
    const ticket_id = (await create(user, 'ticket', { title: `ticket ${index}`, customer_id })).id;
    for (let count = 0; count < commentsOfEach; count++)
      await create(user, 'comment', { title: `comment ${count}`, ticket_id, customer_id });
    ids.customers.push(customer_id);
    ids.tickets.push(ticket_id);
  }
  return ids;
}

function runsOf(user: AppUser, { customers, tickets }: Ids): ReadonlyMap<string, Run> {
  const get = async (path: string): Promise<void> => {
    const { status, text } = await act(user, 'GET', path);
    if (status !== 200) throw new Error(`${path} answered ${status} ${text}`);
  };
  const expand = (names: string) => () => get(`/list/ticket?expand=${names}`);
  const filtered = (filter: string) => () => get(`/list/ticket?filter=${encodeURIComponent(filter)}`);
  const oneByOne = async (): Promise<void> => {
    await get('/list/ticket');
    for (const id of customers) await get(`/item/customer/${id}`);
    for (const id of tickets) await get(`/list/comment?ticket_id=${id}`);
  };
  return new Map([
    ['without', () => get('/list/ticket')],
    ['expand=customer_id', expand('customer_id')],
    ['expand=comment_via_ticket_id', expand('comment_via_ticket_id')],
    ['both, with the author of each comment', expand('customer_id,comment_via_ticket_id.customer_id')],
    ['a filter by its own field', filtered('title.startsWith("ticket")')],
    ['a filter over customer_id', filtered('customer_id.title.startsWith("customer")')],
    ['customers and comments by 40 more requests', oneByOne],
  ]);
}

/** Milliseconds of each, all of them in each round, each round beginning with another. */
async function timesOf(
  runs: ReadonlyMap<string, Run>,
  rounds: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map([...runs.keys()].map((run) => [run, [] as number[]]));
  const order = [...runs];
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of order) {
      const begun = performance.now();
      await run();
      times.get(name)?.push(performance.now() - begun);
    }
    order.push(...order.splice(0, 1));
  }
  return times;
}

await main();
