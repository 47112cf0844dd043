/**
 * What the first page of a list by an indexed filter costs with many records, in units of what it costs with few.
 *
 *   npm run bench:scale -- [--records 1000000]
 */
import { parseArgs } from 'node:util';
import { type AppUser, appUrl, defineEntity, definition, foundedOrg } from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';

const few = 1000;
const regions = 10;
const chunkRows = 1000;
const rounds = 15;
const requestsPerRound = 300;
const wanted = 1.5;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });
  const many = Number(values.records);
  const platform = await startPlatform();
  try {
    const { org, founder } = await foundedOrg(platform);
    for (const entity of ['few', 'many']) {
      const fields = [{ name: 'title' }, { name: 'region', index: true }, { name: 'note' }];
      await defineEntity(org, definition(entity, fields));
    }
    const begun = performance.now();
    await load(founder, 'few', few);
    await load(founder, 'many', many);
    console.log(`Node ${process.version}, ${few} and ${many} records, loaded in ${seconds(begun)} s`);
    console.table(await compared(founder));
  } finally {
    await platform.terminate();
  }
}

async function load(user: AppUser, entity: string, records: number): Promise<void> {
  const response = await fetch(appUrl(user.org, `/import/${entity}`), {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}`, 'content-type': 'text/csv' },
    body: ReadableStream.from(csv(records)).pipeThrough(new TextEncoderStream()),
    duplex: 'half',
  });
  const result = (await response.json()) as { readonly created: number };
  if (result.created !== records) throw new Error(JSON.stringify(result));
}

function* csv(records: number): Generator<string> {
  yield 'title,region,note\n';
  for (let start = 0; start < records; start += chunkRows) {
    const length = Math.min(chunkRows, records - start);
    const line = (index: number): string => `Order ${start + index},region-${index % regions},${'note '.repeat(10)}\n`;
    yield Array.from({ length }, (_, index) => line(index)).join('');
  }
}

/** In turns, so that what else the machine does falls on both. */
async function compared(user: AppUser) {
  const costs: Record<'few' | 'many', number[]> = { few: [], many: [] };
  for (let round = 0; round < rounds + 2; round++)
    for (const entity of ['few', 'many'] as const) {
      const cost = await pageCost(user, entity);
      // The first rounds warm the process and its caches up.
      if (round >= 2) costs[entity].push(cost);
    }
  const [fewCost, manyCost] = [median(costs.few), median(costs.many)];
  const ratio = manyCost / fewCost;
  const verdict = ratio <= wanted ? 'within' : 'over';
  return [
    {
      'µs with few': fewCost.toFixed(0),
      'µs with many': manyCost.toFixed(0),
      ratio: ratio.toFixed(2),
      wanted,
      verdict,
    },
  ];
}

/** Microseconds of one request, one after the other. */
async function pageCost(user: AppUser, entity: string): Promise<number> {
  const headers = { authorization: `Bearer ${user.token}` };
  const begun = performance.now();
  for (let request = 0; request < requestsPerRound; request++) {
    const region = `region-${request % regions}`;
    const response = await fetch(appUrl(user.org, `/list/${entity}?region=${region}&pagesize=20`), { headers });
    const page = (await response.json()) as { readonly items: readonly unknown[] };
    if (page.items.length !== 20) throw new Error(`${entity} answered ${response.status}`);
  }
  return ((performance.now() - begun) * 1000) / requestsPerRound;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(0);
}

await main();
