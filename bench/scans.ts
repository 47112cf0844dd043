/**
 * Whether scans of one org slow another down: p99 of a neighbour's calls alone and beside a scan, in pairs, and the median of
 * their ratios.
 *
 * npm run bench -- scans [--pairs 5] [--seconds 5] [--records 200000] [--scans 2]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AppUser,
  act,
  appUrl,
  create,
  defineEntity,
  definition,
  foundedOrg,
} from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import { importFile, jsonLines } from '../packages/acceptance/src/transfer-calls.ts';
import type { Call, LoadDone, LoadJob } from './call-load.ts';
import { median } from './measure.ts';

const ratioMax = 1.5;
const perSecond = 100;
const importedAtOnce = 10_000;
const fields = [{ name: 'note' }, { name: 'n', colType: 'integer' }];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      records: { type: 'string', default: '200000' },
      scans: { type: 'string', default: '2' },
    },
  });
  const platform = await startPlatform();
  const [neighbour, scanner] = [forkLoad(), forkLoad()];
  try {
    const [small, large] = [await orgOf(platform, 100), await orgOf(platform, Number(values.records))];
    const { id } = await create(small, 'event', { note: 'one', n: 1 });
    const port = Number(new URL(platform.app).port);
    const own = { port, calls: [get(small, `/item/event/${id}`), get(small, '/list/event?pagesize=20')] };
    const scan = get(large, `/count/event?filter=${encodeURIComponent('note.contains("zzz") && n >= 0')}`);
    const measure = async (): Promise<number> => {
      const { took } = await run(neighbour, {
        ...own,
        pace: { perSecond },
        milliseconds: 1000 * Number(values.seconds),
      });
      return p99(Object.values(took).flat());
    };
    await measure();
    const ratios: number[] = [];
    for (let pair = 0; pair < Number(values.pairs); pair++) {
      const alone = await measure();
      const milliseconds = 1000 * Number(values.seconds) + 500;
      const scanning = run(scanner, { port, calls: [scan], pace: { connections: Number(values.scans) }, milliseconds });
      const beside = await measure();
      const { statuses } = await scanning;
      ratios.push(beside / alone);
      const figures = [alone, beside, beside / alone].map((value) => value.toFixed(2)).join(', ');
      console.log(`p99 alone, beside (ms), ratio: ${figures}; scans: ${JSON.stringify(statuses)}`);
    }
    const ratio = median(ratios);
    console.log(
      `median of ${ratios.length} pairs: ${ratio.toFixed(2)}, ${ratio <= ratioMax ? 'within' : 'over'} ${ratioMax}`,
    );
  } finally {
    neighbour.kill();
    scanner.kill();
    await platform.terminate();
  }
}

async function orgOf(platform: Parameters<typeof foundedOrg>[0], records: number): Promise<AppUser> {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('event', fields));
  for (let made = 0; made < records; made += importedAtOnce) {
    const count = Math.min(importedAtOnce, records - made);
    const rows = Array.from({ length: count }, (_, at) => ({
      note: `a note of some length ${made + at}`,
      n: made + at,
    }));
    await importFile(founder, 'event', jsonLines(rows));
  }
  await act(founder, 'GET', '/count/event');
  return founder;
}

function get(user: AppUser, path: string): Call {
  const { host, pathname, search } = new URL(appUrl(user.org, path));
  const lines = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${user.token}`];
  return { kind: path.split('/')[1] ?? '', request: `${lines.join('\r\n')}\r\n\r\n` };
}

function forkLoad(): ChildProcess {
  return fork(join(import.meta.dirname, 'call-load.ts'));
}

async function run(child: ChildProcess, job: LoadJob): Promise<LoadDone> {
  const answer = once(child, 'message');
  child.send(job);
  const [done] = (await answer) as [LoadDone];
  if (done.failure !== undefined) throw new Error(`a generator failed: ${done.failure}`);
  return done;
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}

await main();
