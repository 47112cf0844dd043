/**
 * How long imports and exports of many rows take, and by how much the platform's memory grows meanwhile.
 *
 *   npm run bench:transfer -- [--rows 100000]
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type AppUser, appUrl, defineEntity, definition, foundedOrg } from '../packages/acceptance/src/org.ts';
import { type Platform, startPlatform } from '../packages/acceptance/src/platform.ts';
import type { Usage } from './report-cpu.ts';

/** So many fill V8's young generation and SQLite's caches, which are the process's own and stay as they are. */
const warmUpRows = 20_000;
const chunkRows = 500;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
  const rows = Number(values.rows);
  const byNumber = 'upsert=by_number';
  const results = [
    ...(await measuredInTurn({
      'CSV import': (user) => send(user, '/import/order', csv(rows)),
      'JSON Lines import with upsert': (user) => send(user, `/import/order?${byNumber}`, jsonl(rows)),
      'CSV export': (user) => receive(user, '/export/order?format=csv', rows),
      'JSON Lines export': (user) => receive(user, '/export/order', rows),
    })),
    ...(await measuredInTurn({
      'dry run of a CSV import': (user) => send(user, '/import/order?dry_run=true', csv(rows)),
      'dry run with upsert': (user) => send(user, `/import/order?dry_run=true&${byNumber}`, jsonl(rows)),
    })),
  ];
  console.log(`Node ${process.version}, ${rows} rows`);
  console.table(results);
}

/** On a platform of their own, which has been warmed up by the same on fewer rows. */
async function measuredInTurn(runs: Readonly<Record<string, (user: AppUser) => Promise<void>>>) {
  const nodeFlags = ['--import', join(import.meta.dirname, 'report-cpu.ts')];
  const platform = await startPlatform({ nodeFlags, ipc: true });
  try {
    const { org, founder } = await foundedOrg(platform);
    for (const name of ['order', 'warm_up']) await defineEntity(org, orders(name));
    await send(founder, '/import/warm_up', csv(warmUpRows));
    await send(founder, '/import/warm_up?upsert=by_number', jsonl(warmUpRows));
    await receive(founder, '/export/warm_up?format=csv', warmUpRows);
    const results = [];
    for (const [run, work] of Object.entries(runs))
      results.push({ run, ...(await measured(platform, () => work(founder))) });
    return results;
  } finally {
    await platform.terminate();
  }
}

/** A record as apps have many: of some 300 bytes, with an index and a unique value. */
function orders(entityName: string): Record<string, unknown> {
  return {
    ...definition(entityName, [
      { name: 'number', validate: true, maxlength: 20 },
      { name: 'customer', validate: true, maxlength: 100 },
      { name: 'region', index: true },
      { name: 'amount', colType: 'number', validate: true, min: 0 },
      { name: 'placed', colType: 'date' },
      { name: 'paid', colType: 'boolean' },
    ]),
    UniqueIndexes: [{ indexName: 'by_number', fields: ['number'] }],
  };
}

interface Row {
  readonly number: string;
  readonly customer: string;
  readonly region: string;
  readonly amount: number;
  readonly placed: string;
  readonly paid: boolean;
}

function rowAt(index: number): Row {
  return {
    number: `N-${String(index).padStart(8, '0')}`,
    customer: `Customer number ${index % 1000} of many`,
    region: `region ${index % 10}`,
    amount: index / 100,
    placed: '2026-11-20',
    paid: index % 2 === 0,
  };
}

function* csv(rows: number): Generator<string> {
  yield `${Object.keys(rowAt(0)).join(',')}\n`;
  yield* lines(rows, (row) => Object.values(row).join(','));
}

function jsonl(rows: number): Generator<string> {
  return lines(rows, (row) => JSON.stringify(row));
}

function* lines(rows: number, lineOf: (row: Row) => string): Generator<string> {
  for (let start = 0; start < rows; start += chunkRows) {
    const end = Math.min(rows, start + chunkRows);
    yield Array.from({ length: end - start }, (_, index) => `${lineOf(rowAt(start + index))}\n`).join('');
  }
}

async function send(user: AppUser, path: string, file: Generator<string>): Promise<void> {
  const type = path.includes('upsert') ? 'application/x-ndjson' : 'text/csv';
  const response = await fetch(appUrl(user.org, path), {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}`, 'content-type': type },
    body: ReadableStream.from(file).pipeThrough(new TextEncoderStream()),
    duplex: 'half',
  });
  const text = await response.text();
  const result: unknown = JSON.parse(text);
  if (!response.ok || (result as { failed: number }).failed > 0) throw new Error(text);
}

const newline = 0x0a;

async function receive(user: AppUser, path: string, rows: number): Promise<void> {
  const response = await fetch(appUrl(user.org, path), { headers: { authorization: `Bearer ${user.token}` } });
  let lines = 0;
  for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === newline) lines += 1;
  const wanted = rows + (path.endsWith('csv') ? 1 : 0);
  if (lines !== wanted) throw new Error(`${path} answered ${response.status} and ${lines} lines`);
}

/** The memory of the whole process, all of its threads together, is looked at every so often. */
async function measured({ child }: Pick<Platform, 'child'>, work: () => Promise<void>) {
  const usage = async (): Promise<Usage> => {
    const answer = once(child, 'message');
    child.send('usage');
    return ((await answer) as [Usage])[0];
  };
  const before = await usage();
  const begun = performance.now();
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  let most = before.residentBytes;
  while (!isDone) {
    most = Math.max(most, (await usage()).residentBytes);
    await pause(50);
  }
  await done;
  const seconds = (performance.now() - begun) / 1000;
  const { cpuMicroseconds } = await usage();
  return {
    seconds: seconds.toFixed(1),
    'CPU seconds': ((cpuMicroseconds - before.cpuMicroseconds) / 1e6).toFixed(1),
    'MB before': megabytes(before.residentBytes),
    'MB more': megabytes(most - before.residentBytes),
  };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

await main();
