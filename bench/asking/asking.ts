/**
 * What counts, filters, sorts and aggregates cost where no index leads to the records: CPU of one question after the other, by
 * a user whose policies name the action alone (`actions`) and by one who sees one record in ten (`row`).
 *
 *   POCKETBASE=/path/of/pocketbase npm run bench -- asking [--records 100000] [--rounds 5] [--only count] [--data FOLDER]
 *
 * Beside each question is the time that SQLite takes for the adapter's own statements in one piece, with nothing around them, and what PocketBase
 * takes for the same question in the same run, where the variable names its program. On PostgreSQL
 * (`node packages/server/src/store/postgres/testing/with-server.ts npm run bench -- asking`) the CPU is that of the platform and of the server, on which
 * nothing else may run. `--data` keeps the platform's records for the next run of as many. A count that comes in parts is asked to its end; `partial` marks other replies that looked at a
 * part of the records.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AppUser,
  allow,
  appUrl,
  defineEntity,
  foundedOrg,
  leaveWith,
  type Org,
  signIn,
  withCondition,
} from '../../packages/acceptance/src/org.ts';
import { type Platform, startPlatform, temporaryDirectory } from '../../packages/acceptance/src/platform.ts';
import { median, nodeFlags } from '../measure.ts';
import { send } from '../orders.ts';
import type { Usage } from '../report-cpu.ts';
import { type Rival, startRival } from './pocketbase.ts';
import { entity, orderAt, orderDefinition, ownOneOf, type Question, questions } from './questions.ts';

const ruleNames = ['actions', 'row'] as const;
type RuleName = (typeof ruleNames)[number];

/** Asked by users of the platform with the records. */
type Users = Readonly<Record<RuleName, AppUser>>;

/** One way to have a question answered. */
interface Way {
  readonly name: 'platform' | 'bare' | 'rival';
  /** Milliseconds of CPU for each of so many answers. Undefined where it is refused. */
  cost(times: number): Promise<number | undefined>;
}

/** About so long is measured at once. */
const millisecondsAtOnce = 500;
const timesMax = 200;
const root = join(import.meta.dirname, '..', '..');
const engineProgram = join(root, 'packages/server/src/store/testing/bench/bare-questions.ts');
const store = process.env.FREEHOLD_TEST_STORE;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
      data: { type: 'string' },
    },
  });
  const [records, rounds] = [Number(values.records), Number(values.rounds)];
  const dataDir = values.data === undefined ? temporaryDirectory() : join(values.data, `${records}-asked`);
  const platform = await startPlatform({ dataDir, nodeFlags, ipc: true });
  const engine = fork(engineProgram);
  try {
    const users = await usersOf(platform, records);
    const program = process.env.POCKETBASE;
    const rival = program === undefined ? undefined : await startRival(program, records);
    const rows: object[] = [];
    for (const rule of ruleNames)
      for (const question of questions.filter(({ name }) => name.includes(values.only)))
        rows.push(
          await row({ question, rule, rounds }, waysOf({ platform, engine, user: users[rule], rule, rival }, question)),
        );
    await rival?.stop();
    const kind = store === undefined ? 'SQLite' : 'PostgreSQL';
    console.log(
      `Node ${process.version}, ${kind}, ${records} records, ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)}`,
    );
    console.table(rows);
  } finally {
    engine.kill();
    await platform.terminate();
  }
}

/** What a later run needs of an earlier one. */
interface Kept {
  readonly org: Omit<Org, 'app' | 'management'>;
  readonly emails: Readonly<Record<RuleName, string>>;
}

async function usersOf(platform: Platform, records: number): Promise<Users> {
  const path = join(platform.dataDir, 'asked.json');
  if (!existsSync(path)) return filled(platform, records, path);
  const { org, emails } = JSON.parse(readFileSync(path, 'utf8')) as Kept;
  const { app, management } = platform;
  const signedIn = (rule: RuleName) => signIn({ ...org, app, management }, emails[rule]);
  return { actions: await signedIn('actions'), row: await signedIn('row') };
}

const blocks = 20;

async function filled(platform: Platform, records: number, path: string): Promise<Users> {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, orderDefinition);
  const row = await signIn(org);
  const reads = [`list${entity}`, `count${entity}`, `get${entity}`];
  const own = { StringEquals: { 'record.created_by': '$' + '{user.id}' } };
  await leaveWith(founder, row, [withCondition(allow(reads), own), allow(`create${entity}`)]);
  const actions = await signIn(org);
  await leaveWith(founder, actions, [allow(reads)]);
  for (let block = 0; block < blocks; block++) {
    const [from, to] = [0, 1].map((next) => Math.round((records * (block + next)) / blocks));
    for (const user of [founder, row])
      await send(
        user,
        `/import/${entity}`,
        csv({ from: from ?? 0, to: to ?? 0, isOwn: user === row, seller: user.id }),
      );
  }
  const { code, clientId, builder } = org;
  const kept: Kept = { org: { code, clientId, builder }, emails: { actions: actions.email, row: row.email } };
  writeFileSync(path, JSON.stringify(kept));
  return { actions, row };
}

const rowsAtOnce = 500;

interface Block {
  readonly from: number;
  readonly to: number;
  readonly isOwn: boolean;
  readonly seller: string;
}

/** The rows of a block that are those of the user with the row rule, or all others. */
function* csv({ from, to, isOwn, seller }: Block): Generator<string> {
  yield `${[...Object.keys(orderAt(0)), 'seller'].join()}\n`;
  let lines: string[] = [];
  for (let index = from; index < to; index++) {
    if ((index % ownOneOf === 0) !== isOwn) continue;
    lines.push(`${JSON.stringify([...Object.values(orderAt(index)), seller]).slice(1, -1)}\n`);
    if (lines.length < rowsAtOnce && index + 1 < to) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

interface Asked {
  readonly platform: Platform;
  readonly engine: ChildProcess;
  readonly user: AppUser;
  readonly rule: RuleName;
  readonly rival: Rival | undefined;
}

function waysOf({ platform, engine, user, rule, rival }: Asked, question: Question): readonly Way[] {
  const own =
    rule === 'row' ? [{ kind: 'compare', operator: 'eq', path: ['created_by'], type: 'text', value: user.id }] : [];
  const statements = question.statements?.(own);
  const file = join(platform.dataDir, 'test.db');
  const url = appUrl(user.org, question.path);
  const ways: Way[] = [
    {
      name: 'platform',
      cost: (times) =>
        costOf(
          times,
          () => cpuOfPlatform(platform, engine),
          () => ask(url, `Bearer ${user.token}`),
        ),
    },
  ];
  if (store === undefined && statements !== undefined)
    ways.push({ name: 'bare', cost: (times) => askEngine(engine, { kind: 'bare', file, statements, times }) });
  if (rival !== undefined)
    ways.push({
      name: 'rival',
      cost: (times) =>
        costOf(
          times,
          async () => rival.cpu(),
          () => ask(rival.url + question.rival, rival.tokens[rule]),
        ),
    });
  return ways;
}

async function costOf(
  times: number,
  cpu: () => Promise<number>,
  run: () => Promise<boolean>,
): Promise<number | undefined> {
  const before = await cpu();
  for (let nr = 0; nr < times; nr++) if (!(await run())) return undefined;
  return ((await cpu()) - before) / times;
}

const partial = new Set<string>();

/** False where it is refused. */
async function ask(url: string, authorization: string): Promise<boolean> {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const reply = await fetch(url + cursor, { headers: { authorization } });
    const text = await reply.text();
    if (reply.status === 400 || reply.status === 403) return false;
    if (!reply.ok) throw new Error(`${url} was answered ${reply.status} ${text}`);
    const { partial: isPartial, count, nexttoken } = JSON.parse(text) as Reply;
    if (isPartial === true && count === undefined) partial.add(url);
    cursor = count === undefined || nexttoken === undefined ? undefined : `&nexttoken=${encodeURIComponent(nexttoken)}`;
  }
  return true;
}

interface Reply {
  readonly partial?: boolean;
  readonly count?: number;
  readonly nexttoken?: string;
}

async function cpuOfPlatform({ child }: Platform, engine: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send('cpu');
  const [{ cpuMicroseconds }] = (await answer) as [Usage];
  const ofServer = store === undefined ? 0 : await askEngine(engine, { kind: 'server', url: store });
  return cpuMicroseconds / 1000 + ofServer;
}

async function askEngine(engine: ChildProcess, question: object): Promise<number> {
  const answer = once(engine, 'message');
  engine.send(question);
  const [{ milliseconds, failure }] = (await answer) as [{ readonly milliseconds: number; readonly failure?: string }];
  if (failure !== undefined) throw new Error(failure);
  return milliseconds;
}

interface Measured {
  readonly question: Question;
  readonly rule: RuleName;
  readonly rounds: number;
}

/** The ways take turns, after each was asked for as long to be warm. */
async function row({ question, rule, rounds }: Measured, ways: readonly Way[]): Promise<object> {
  const times = new Map<Way, number>();
  for (const way of ways) {
    const first = await way.cost(1);
    if (first === undefined) continue;
    const count = Math.min(timesMax, Math.max(1, Math.round(millisecondsAtOnce / first)));
    if (count > 1) await way.cost(count);
    times.set(way, count);
  }
  const costs = new Map(ways.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const [way, count] of times) {
      const cost = await way.cost(count);
      if (cost !== undefined) costs.get(way.name)?.push(cost);
    }
  const of = (name: Way['name']): number => {
    const found = costs.get(name) ?? [];
    return found.length === 0 ? Number.NaN : median(found);
  };
  const isPartial = [...partial].some((url) => url.endsWith(question.path));
  partial.clear();
  return {
    question: question.name,
    rule,
    'CPU ms': shown(of('platform'), 2) + (isPartial ? ' partial' : ''),
    ...(ways.some(({ name }) => name === 'bare')
      ? { bare: shown(of('bare'), 2), 'of bare': shown(of('platform') / of('bare'), 2) }
      : {}),
    PocketBase: shown(of('rival'), 2),
    'of PocketBase': shown(of('platform') / of('rival'), 2),
  };
}

function shown(value: number, digits: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(digits);
}

await main();
