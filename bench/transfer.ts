/**
 * How long imports and exports of many rows take, and by how much the platform's memory grows meanwhile.
 *
 *   npm run bench -- transfer [--rows 100000]
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type AppUser, appUrl, defineEntity, foundedOrg } from '../packages/acceptance/src/org.ts';
import { type Platform, startPlatform } from '../packages/acceptance/src/platform.ts';
import { csv, jsonl, orders, send } from './orders.ts';
import type { Usage } from './report-cpu.ts';

/** So many fill V8's young generation and SQLite's caches, which are the process's own and stay as they are. */
const warmUpRows = 20_000;

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
  const startedAt = performance.now();
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
  const seconds = (performance.now() - startedAt) / 1000;
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
