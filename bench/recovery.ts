/**
 * How long a platform takes from `kill -9` under load to its ready line, and how long the write-ahead log gets meanwhile.
 *
 *   npm run bench -- recovery [--records 1000000] [--kills 9] [--seconds 5] [--backups 3]
 *
 * The records come in by an import, which takes some minutes for a million. Before each kill, callers who never pause
 * create, list and export for so many seconds; before the last ones, backups are taken beside them, one after the other.
 * After each start, what was answered last is read again, and a platform is started on an empty folder: the machine may
 * have something else to do.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type AppUser, act, appUrl, defineEntity, foundedOrg } from '../packages/acceptance/src/org.ts';
import { type Platform, startPlatform, temporaryDirectory } from '../packages/acceptance/src/platform.ts';
import { median } from './measure.ts';
import { csv, orders, send } from './orders.ts';

const target = 2;
const writers = 32;

interface Load {
  readonly user: AppUser;
  /** The last record that each writer was answered. */
  readonly answered: Map<number, string>;
  isOver: boolean;
  writes: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '1000000' },
      kills: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '5' },
      backups: { type: 'string', default: '0' },
    },
  });
  let platform = await startPlatform();
  const { org, founder } = await foundedOrg(platform);
  for (const name of ['order', 'fresh']) await defineEntity(org, orders(name));
  await send(founder, '/import/order', csv(Number(values.records)));
  const rows = [];
  const kills = Number(values.kills);
  for (let kill = 1; kill <= kills; kill++) {
    const load: Load = { user: movedTo(platform, founder), answered: new Map(), isOver: false, writes: 0 };
    const backups = kill > kills - Number(values.backups) ? new Backups(platform) : undefined;
    const logMax = await putUnderLoad(platform, load, Number(values.seconds));
    const sizes = { database: megabytes(platform, 'test.db'), log: megabytes(platform, 'test.db-wal') };
    const startedAt = performance.now();
    backups?.end();
    await platform.kill();
    platform = await startPlatform({ dataDir: platform.dataDir });
    const seconds = secondsSince(startedAt);
    await readAgain(movedTo(platform, founder), load);
    const emptySeconds = await startEmpty();
    const perSecond = Math.round(load.writes / Number(values.seconds));
    rows.push({
      kill,
      seconds,
      emptySeconds,
      'writes/s': perSecond,
      backups: backups?.report() ?? '',
      ...rounded({ ...sizes, 'longest log': logMax }),
    });
  }
  console.log(`Node ${process.version}, ${values.records} records; sizes in MB`);
  console.table(rows);
  printFindings(
    'ready',
    rows.map(({ seconds }) => seconds),
  );
  printFindings(
    'on an empty folder',
    rows.map(({ emptySeconds }) => emptySeconds),
  );
  await platform.terminate();
}

/** The least, the median and the most. */
function printFindings(what: string, seconds: readonly number[]): void {
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)];
  const verdict = most <= target ? 'within' : 'over';
  console.log(`${what}: ${least} / ${median(seconds).toFixed(2)} / ${most} s, ${verdict} the target of ${target} s`);
}

async function startEmpty(): Promise<number> {
  const startedAt = performance.now();
  const platform = await startPlatform();
  const seconds = secondsSince(startedAt);
  await platform.kill();
  return seconds;
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 10) / 100;
}

/** Ends while everybody is still at it. */
async function putUnderLoad(platform: Platform, load: Load, seconds: number): Promise<number> {
  for (let writer = 0; writer < writers; writer++) void untilGone(load, () => write(load, writer));
  for (const path of ['/list/order?pagesize=200', '/list/order?sortby=region&pagesize=100', '/export/order'])
    void untilGone(load, () => read(load, path));
  const end = performance.now() + seconds * 1000;
  let logMax = 0;
  while (performance.now() < end) {
    logMax = Math.max(logMax, megabytes(platform, 'test.db-wal'));
    await pause(5);
  }
  load.isOver = true;
  return logMax;
}

async function untilGone(load: Load, turn: () => Promise<void>): Promise<void> {
  try {
    while (!load.isOver) await turn();
  } catch (error) {
    if (!load.isOver) throw error;
  }
}

async function write(load: Load, writer: number): Promise<void> {
  const number = `F-${writer}-${process.hrtime.bigint().toString(36)}`;
  const body = {
    number,
    customer: 'Customer of a moment',
    region: 'north',
    amount: 1,
    placed: '2026-11-20',
    paid: true,
  };
  const reply = await act(load.user, 'POST', '/create/fresh', { body });
  if (reply.status !== 201) throw new Error(reply.text);
  load.answered.set(writer, reply.body.id);
  load.writes += 1;
}

async function read({ user }: Load, path: string): Promise<void> {
  const response = await fetch(appUrl(user.org, path), { headers: { authorization: `Bearer ${user.token}` } });
  for await (const _ of response.body ?? []);
}

/** One backup after the other, until they are ended. */
class Backups {
  readonly #platform: Platform;
  readonly #taken: string[] = [];
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(platform: Platform) {
    this.#platform = platform;
    void this.#run();
  }

  /** The duration of each, or its failure. */
  report(): string {
    return this.#taken.length === 0 ? 'cut off' : this.#taken.join(', ');
  }

  end(): void {
    this.#isOver = true;
    this.#child?.kill('SIGKILL');
  }

  async #run(): Promise<void> {
    const program = join(import.meta.dirname, '..', 'packages', 'server', 'src', 'commands', 'backup.ts');
    const folder = temporaryDirectory();
    while (!this.#isOver) {
      const startedAt = performance.now();
      const args = [program, join(folder, 'a.backup'), '--data-dir', this.#platform.dataDir];
      this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      const [code] = await once(this.#child, 'close');
      if (!this.#isOver) this.#taken.push(code === 0 ? `${secondsSince(startedAt)} s` : 'failed');
      rmSync(join(folder, 'a.backup'), { force: true });
    }
  }
}

async function readAgain(user: AppUser, { answered }: Load): Promise<void> {
  for (const id of answered.values()) {
    const reply = await act(user, 'GET', `/item/fresh/${id}`);
    if (reply.status !== 200) throw new Error(`a record that was answered is lost: ${reply.text}`);
  }
}

function movedTo({ app, management }: Platform, user: AppUser): AppUser {
  return { ...user, org: { ...user.org, app, management } };
}

function megabytes({ dataDir }: Platform, name: string): number {
  return (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) / 1024 / 1024;
}

function rounded(sizes: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, Math.round(size * 10) / 10]));
}

await main();
