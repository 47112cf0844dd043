/**
 * The cost of a migration of records to concurrent writers.
 *
 * npm run bench -- fill [--records 5000] [--seconds 5] [--beside 3600]
 *
 * An entity has so many records. A writer updates one after the other: alone for a while, then as long as a new field and a
 * new formula are brought to all of them and their indexes are built, but for no more than `beside` seconds. The writes of a second in the
 * two, and their ratio, are printed, with the longest that the writer waited, and how many records were filled in a second.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { creating, together } from '../packages/acceptance/src/batches.ts';
import {
  type AppUser,
  act,
  defineEntity,
  definition,
  foundedOrg,
  manage,
  type Org,
} from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';

const fields = [{ name: 'title' }, { name: 'minutes', colType: 'integer', index: true }];
const come = [
  { name: 'hours', colType: 'number', backfill: 'minutes / 60.0', index: true },
  { name: 'cost', colType: 'formula', formula: { cel: 'minutes * 2', type: 'integer' }, index: true },
];
const batch = 100;
/** Who make the records. */
const clients = 4;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '5000' },
      seconds: { type: 'string', default: '5' },
      beside: { type: 'string', default: '3600' },
    },
  });
  const records = Math.ceil(Number(values.records) / batch) * batch;
  const platform = await startPlatform();
  try {
    const { org, founder } = await foundedOrg(platform);
    await defineEntity(org, definition('entry', fields));
    const ids = await fill(founder, records);
    const alone = await writing(founder, ids, () => pause(Number(values.seconds) * 1000));
    const changed = performance.now();
    let migration: Promise<void> = Promise.resolve();
    const beside = await writing(founder, ids, async () => {
      migration = migrated(org);
      await Promise.race([migration, pause(Number(values.beside) * 1000)]);
    });
    await migration;
    const seconds = (performance.now() - changed) / 1000;
    console.log(`Node ${process.version}, ${records} records`);
    console.log(`writes of a second, alone: ${alone.rate.toFixed(0)}, longest wait ${alone.longest.toFixed(0)} ms`);
    console.log(`beside the migration: ${beside.rate.toFixed(0)}, longest wait ${beside.longest.toFixed(0)} ms`);
    console.log(`ratio: ${(beside.rate / alone.rate).toFixed(2)}`);
    console.log(
      `records filled and indexed in a second: ${(records / seconds).toFixed(0)}, in ${seconds.toFixed(0)} s`,
    );
  } finally {
    await platform.terminate();
  }
}

async function fill(user: AppUser, records: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < records) {
      const from = next;
      next += batch;
      const bodies = Array.from({ length: batch }, (_, index) => ({
        title: `t${from + index}`,
        minutes: from + index,
      }));
      const made = await together(
        user,
        bodies.map((body) => creating('entry', body)),
      );
      ids.push(...made.flatMap(({ id }) => id ?? []));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return ids;
}

interface Written {
  readonly rate: number;
  /** In milliseconds. */
  readonly longest: number;
}

/** Updates one record after the other as long as the work takes. */
async function writing(user: AppUser, ids: readonly string[], work: () => Promise<void>): Promise<Written> {
  const startedAt = performance.now();
  let isOver = false;
  const end = work().finally(() => {
    isOver = true;
  });
  let [writes, longest] = [0, 0];
  while (!isOver) {
    const sentAt = performance.now();
    const id = ids[(writes * 7919) % ids.length];
    const { status, text } = await act(user, 'PUT', `/update/entry/${id}`, { body: { title: `w${writes}` } });
    if (status !== 200) throw new Error(text);
    longest = Math.max(longest, performance.now() - sentAt);
    writes += 1;
  }
  await end;
  const seconds = (performance.now() - startedAt) / 1000;
  return { rate: writes / seconds, longest };
}

interface Builds {
  readonly indexes: readonly { readonly state: string }[];
  readonly fills?: readonly { readonly state: string }[];
}

/** Makes the change, and resolves once all records have it. */
async function migrated(org: Org): Promise<void> {
  const changed = await manage(org, 'PUT', '/api/create-entry', { body: { UpdateParams: come } });
  if (changed.status !== 200) throw new Error(changed.text);
  for (;;) {
    await pause(500);
    const { body } = await manage<Builds>(org, 'GET', '/api/entity?entityName=entry');
    const { indexes, fills = [] } = body;
    if (fills.some(({ state }) => state === 'failed')) throw new Error('records were not filled');
    if (fills.length === 0 && indexes.every(({ state }) => state === 'ready')) return;
  }
}

await main();
