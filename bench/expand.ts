/**
 * What related records cost: a list of 20 records with `expand` against the same list without, and
 * against the requests that a client would send instead, in turns.
 *
 * npm run bench -- expand [--rounds 400]
 */
import { parseArgs } from 'node:util';
import { type AppUser, act, create, defineEntity, definition, foundedOrg } from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import { printRatios, type Run } from './in-turns.ts';

const tickets = 20;
const commentsOfEach = 5;
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '400' } } });
  const platform = await startPlatform();
  try {
    const { org, founder } = await foundedOrg(platform);
    for (const [name, ...lookups] of [['customer'], ['ticket', 'customer'], ['comment', 'ticket', 'customer']] as const)
      await defineEntity(org, definition(name, [{ name: 'title', colType: 'string' }, ...lookups.map(lookup)]));
    const ids = await fill(founder);
    const runs = runsOf(founder, ids);
    console.log(`Node ${process.version}, ${values.rounds} rounds, a list of ${tickets} records`);
    await printRatios(runs, Number(values.rounds));
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
    ['customers and comments by 40 more requests', oneByOne],
  ]);
}

await main();
