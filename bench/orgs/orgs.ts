/**
 * What grows with the number of orgs that a platform holds, of which few are at work.
 *
 *   npm run bench -- orgs [--orgs 100000] [--workspaces 10] [--active 1,100,1000,10000] [--rounds 8] [--idle 60]
 *     [--data FOLDER]
 *
 * Two platforms with an embedded store each: one with a hundred orgs, one with `--orgs`, all of the same shape. They are
 * made directly in the store, from the rows that the platform has written for one org. Then both start, and do the same
 * work in turns for ten orgs that are founded on each; each ratio is that of the many to the few. Then the platform with
 * many is asked for records of one org, and in turns with it of as many as `--active` says. `--idle` is how many seconds
 * they are watched without a call. `--data` keeps what was made, and is used again by the next run of the same extent.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { call } from '../../packages/acceptance/src/call.ts';
import {
  type AppUser,
  appUrl,
  create,
  defineEntity,
  definition,
  exchangeToken,
  logIn,
  type Org,
  signUp,
} from '../../packages/acceptance/src/org.ts';
import { type Platform, startPlatform, temporaryDirectory } from '../../packages/acceptance/src/platform.ts';
import { founderOf, makeWorkspace, putSetting, refreshed } from '../../packages/acceptance/src/workspaces.ts';
import { compete, job, median, nodeFlags, type Request } from '../measure.ts';
import type { Usage } from '../report-cpu.ts';

const fewOrgs = 100;
const orgsAtWork = 10;
const starts = 5;
const patternCode = 'p0000000';
const root = join(import.meta.dirname, '..', '..');
/** A program of the server, since it writes to the store. */
const multiplier = join(root, 'packages', 'server', 'src', 'testing', 'many-orgs', 'multiply-org.ts');
const plan = { rounds: 8, requests: 3000, warmUpRequests: 30_000, millisecondsMax: 60_000, staysAwake: false };

interface AtWork extends AppUser {
  readonly record: string;
}

/** The org whose copies the others are: all that a user of a copy needs. */
interface Pattern {
  readonly clientId: string;
  readonly email: string;
  readonly record: string;
}

interface Side {
  readonly platform: Platform;
  readonly pattern: Pattern;
  readonly startsMilliseconds: readonly number[];
  readonly startsCpuMilliseconds: readonly number[];
  readonly residentBytes: number;
  readonly atWork: readonly AtWork[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      orgs: { type: 'string', default: '100000' },
      workspaces: { type: 'string', default: '10' },
      rounds: { type: 'string', default: String(plan.rounds) },
      active: { type: 'string', default: '1,100,1000,10000' },
      idle: { type: 'string', default: '60' },
      data: { type: 'string' },
    },
  });
  const [orgs, workspaces, rounds] = [Number(values.orgs), Number(values.workspaces), Number(values.rounds)];
  const active = values.active.split(',').map(Number);
  if (Math.max(...active) >= orgs)
    throw new Error('--active names as many orgs as there are, or more: one is a pattern that is not asked');
  const few = await prepared(fewOrgs, workspaces, values.data);
  const many = await prepared(orgs, workspaces, values.data);
  const load = fork(join(import.meta.dirname, '..', 'load.ts'));
  try {
    const rows: Record<string, Row> = {
      'start, ms': row(few.startsMilliseconds, many.startsMilliseconds),
      'CPU of a start, ms': row(few.startsCpuMilliseconds, many.startsCpuMilliseconds),
      'resident set after the start, MB': row([few.residentBytes / 2 ** 20], [many.residentBytes / 2 ** 20]),
      'GET /item of ten orgs, µs': await gets(few, many, rounds, load),
      'an org founded, ms': await founding(few, many, rounds, (side) => signUp(side.platform)),
      'a workspace founded, ms': await founding(few, many, rounds, found),
      'a second without calls, ms': await idle(few, many, Number(values.idle)),
    };
    console.log(
      `Node ${process.version}: ${orgs} orgs with ${workspaces} workspaces each, against ${fewOrgs}; CPU but for the start`,
    );
    console.table(rows);
    console.log(`GET /item on the platform of ${orgs} orgs, of so many of them`);
    console.table(await activeGets(many, active, rounds, load));
  } finally {
    load.kill();
    await Promise.all([few.platform.terminate(), many.platform.terminate()]);
  }
}

async function prepared(orgs: number, workspaces: number, folder: string | undefined): Promise<Side> {
  const dataDir = folder === undefined ? temporaryDirectory() : join(folder, `${orgs}-orgs-of-${workspaces}`);
  const pattern = await made(dataDir, orgs, workspaces);
  const startsMilliseconds: number[] = [];
  const startsCpuMilliseconds: number[] = [];
  const start = async (): Promise<Platform> => {
    const startedAt = performance.now();
    const started = await startPlatform({ dataDir, ipc: true, nodeFlags });
    startsMilliseconds.push(performance.now() - startedAt);
    startsCpuMilliseconds.push((await usage(started)).cpuMicroseconds / 1000);
    return started;
  };
  // A busy machine delays a start several times over: of a few, the one in the middle counts.
  for (let nr = 1; nr < starts; nr++) await (await start()).terminate();
  const platform = await start();
  const { residentBytes } = await usage(platform);
  await assertServed(platform, pattern);
  const atWork: AtWork[] = [];
  for (let nr = 0; nr < orgsAtWork; nr++) atWork.push(await filled(await signUp(platform), 1));
  return { platform, pattern, startsMilliseconds, startsCpuMilliseconds, residentBytes, atWork };
}

/** Makes the orgs, unless the folder has them from an earlier run. */
async function made(dataDir: string, orgs: number, workspaces: number): Promise<Pattern> {
  const note = `${dataDir}.json`;
  if (existsSync(note)) return JSON.parse(readFileSync(note, 'utf8')) as Pattern;
  const first = await startPlatform({ dataDir, ipc: true });
  const org = await signUp(first, patternCode);
  const { email, record } = await filled(org, workspaces);
  await first.terminate();
  execFileSync(process.execPath, [multiplier, dataDir, patternCode, String(orgs - 1)], { stdio: 'inherit' });
  const pattern = { clientId: org.clientId, email, record };
  writeFileSync(note, JSON.stringify(pattern));
  return pattern;
}

/** The last user of an org that gets an entity, and workspaces with a record each. */
async function filled(org: Awaited<ReturnType<typeof signUp>>, workspaces: number): Promise<AtWork> {
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  let last: AtWork | undefined;
  for (let nr = 0; nr < workspaces; nr++) {
    const founder = await founderOf(org);
    last = { ...founder, record: (await create(founder, 'order', { title: 'An order' })).id };
  }
  if (last === undefined) throw new RangeError('an org has a workspace at least');
  return last;
}

/** An org that was made directly in the store answers like each other: a person signs up in it. */
async function assertServed(platform: Platform, pattern: Pattern): Promise<void> {
  const { status, text } = await logIn(copyOf(platform, pattern, 0), 'someone@example.test');
  if (status !== 200) throw new Error(`an org made in the store does not work: ${text}`);
}

/** One of the orgs that were made directly in the store. */
function copyOf({ app, management }: Platform, { clientId }: Pattern, nr: number): Org {
  const code = `z${nr.toString(36).padStart(patternCode.length - 1, '0')}`;
  const builder = { email: '', password: '', token: '' };
  return { app, management, code, clientId: clientId.replaceAll(patternCode, code), builder };
}

interface Row {
  readonly few: string;
  readonly many: string;
  readonly ratio: string;
}

/** Ratios are those of rounds, of which the one in the middle counts. */
function row(few: readonly number[], many: readonly number[]): Row {
  const ratios = few.map((value, index) => (many[index] ?? 0) / value);
  return { few: median(few).toFixed(1), many: median(many).toFixed(1), ratio: median(ratios).toFixed(2) };
}

async function gets(few: Side, many: Side, rounds: number, load: ReturnType<typeof fork>): Promise<Row> {
  const run = ({ platform, atWork }: Side) => {
    const server = serverOf(platform);
    return { server, job: job(server, plan, ...atWork.map(getOf)) };
  };
  const costs = await compete({ few: run(few), many: run(many) }, { ...plan, rounds }, load);
  return row(
    costs.map((cost) => cost.few.cpuMicroseconds),
    costs.map((cost) => cost.many.cpuMicroseconds),
  );
}

function serverOf({ child, app }: Platform) {
  return { child, port: Number(new URL(app).port) };
}

function getOf({ org, token, record }: Pick<AtWork, 'org' | 'token' | 'record'>): Request {
  return { method: 'GET', path: new URL(appUrl(org, `/item/order/${record}`)).pathname, token, status: 200 };
}

/** What a get costs where so many orgs are asked in turn, against the same of one org. */
async function activeGets(
  side: Side,
  active: readonly number[],
  rounds: number,
  load: ReturnType<typeof fork>,
): Promise<readonly object[]> {
  const server = serverOf(side.platform);
  const requests = await signedIn(side, Math.max(...active));
  const shown: object[] = [];
  for (const orgs of active) {
    const plan = { requests: Math.max(3000, orgs), warmUpRequests: Math.max(30_000, 2 * orgs), ...activePlan };
    const jobs = {
      one: job(server, plan, ...requests.slice(0, 1)),
      all: job(server, plan, ...requests.slice(0, orgs)),
    };
    const contest = { one: { server, job: jobs.one }, all: { server, job: jobs.all } };
    const costs = await compete(contest, { ...plan, rounds }, load);
    const { few, many, ratio } = row(
      costs.map(({ one }) => one.cpuMicroseconds),
      costs.map(({ all }) => all.cpuMicroseconds),
    );
    const counts = await countsOf(side, plan.requests, () =>
      compete({ all: contest.all }, { ...plan, ...oneRound }, load),
    );
    shown.push({ orgs, 'one, µs': few, 'all, µs': many, ratio, ...counts });
  }
  return shown;
}

const oneRound = { rounds: 1, warmUpRequests: 0 } as const;

/** What does not depend on the machine: calls of the store, and lookups that its caches did not answer, for each get. */
async function countsOf(
  { platform }: Side,
  gets: number,
  work: () => Promise<unknown>,
): Promise<Readonly<Record<string, string>>> {
  const read = async () => (await call('GET', `${platform.management}/metrics`)).text;
  const before = await read();
  await work();
  const after = await read();
  const perGet = (name: string, labels: RegExp): string =>
    ((valuesOf(after, name, labels) - valuesOf(before, name, labels)) / gets).toFixed(2);
  return {
    'reads a get': perGet('freehold_store_seconds_count', /call="(get|range|follow|count)"/),
    'commits a get': perGet('freehold_store_seconds_count', /call="commit"/),
    'token misses': perGet('freehold_cache_misses_total', /cache="token"/),
    'config misses': perGet('freehold_cache_misses_total', /cache="config"/),
  };
}

function valuesOf(text: string, name: string, labels: RegExp): number {
  let sum = 0;
  for (const line of text.split('\n'))
    if (line.startsWith(`${name}{`) && labels.test(line)) sum += Number(line.slice(line.lastIndexOf(' ') + 1));
  return sum;
}

const activePlan = { rounds: 0, millisecondsMax: 60_000, staysAwake: false } as const;
const signInsAtOnce = 8;

async function signedIn({ platform, pattern }: Side, count: number): Promise<readonly Request[]> {
  const requests: Request[] = [];
  const worker = async (first: number): Promise<void> => {
    for (let nr = first; nr < count; nr += signInsAtOnce) {
      const org = copyOf(platform, pattern, nr);
      const login = await logIn(org, pattern.email);
      const exchanged = await exchangeToken(org, login.body.token);
      if (exchanged.status !== 200) throw new Error(exchanged.text);
      requests[nr] = getOf({ org, token: exchanged.body.token, record: pattern.record });
    }
  };
  await Promise.all(Array.from({ length: signInsAtOnce }, (_, first) => worker(first)));
  return requests;
}

const foundedInRound = 10;

async function founding(few: Side, many: Side, rounds: number, work: (side: Side) => Promise<unknown>): Promise<Row> {
  const spent = async (side: Side): Promise<number> => {
    const before = await usage(side.platform);
    for (let nr = 0; nr < foundedInRound; nr++) await work(side);
    return ((await usage(side.platform)).cpuMicroseconds - before.cpuMicroseconds) / foundedInRound / 1000;
  };
  const costs: (readonly [number, number])[] = [];
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    const cost = [await spent(few), await spent(many)] as const;
    if (round >= 0) costs.push(cost);
  }
  return row(
    costs.map(([value]) => value),
    costs.map(([, value]) => value),
  );
}

let named = 0;

async function found({ atWork: [founder] }: Side): Promise<void> {
  if (founder === undefined) throw new Error('no org is at work');
  named += 1;
  const made = await makeWorkspace(await refreshed(founder), { name: 'Another', code: `another-${named}` });
  if (made.status !== 201) throw new Error(made.text);
}

async function idle(few: Side, many: Side, seconds: number): Promise<Row> {
  const [fewBefore, manyBefore] = [await usage(few.platform), await usage(many.platform)];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const perSecond = (after: Usage, before: Usage) => (after.cpuMicroseconds - before.cpuMicroseconds) / seconds / 1000;
  return row([perSecond(await usage(few.platform), fewBefore)], [perSecond(await usage(many.platform), manyBefore)]);
}

async function usage({ child }: Platform): Promise<Usage> {
  const answer = once(child, 'message');
  child.send('cpu');
  return ((await answer) as [Usage])[0];
}

await main();
