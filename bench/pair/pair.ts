/**
 * What a change costs or saves: the platforms of two working trees do the same work in turns, in one run.
 *
 *   npm run bench -- pair --against COMMIT_OR_FOLDER [--records 10000] [--orgs 1] [--statements 1] [--rounds 24]
 *     [--only get,list,create,update,mix] [--rules row,actions] [--flags=--max-semi-space-size=8] [--env NAME=VALUE]
 *     [--events 1] [--records-before 1000] [--orgs-before 1] [--statements-before 1] [--events-before 0] [--pinned]
 *     [--event '{"entry_conditions": […]}']
 *
 * `before` is the other tree, `after` this one. Flags of Node and settings count for this one alone, and each extent may
 * differ: `--against . --records 1000000 --records-before 1000` shows what requests cost among many records. Each ratio is the median of the rounds' ratios, with the quarters beside it. `--pinned` gives
 * the platforms one core and the load another one. So many `--events` follow each create; nothing listens where they are sent, so that they
 * wait. `--event` adds members to their contents, such as a condition or another entity: `{"entity_name": "other"}`. The mix has 70 gets, 15 lists, 10 updates and 5 creates.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Platform, startPlatform } from '../../packages/acceptance/src/platform.ts';
import { compete, connections, job, median, medianCost, nodeFlags, type Plan, type Server } from '../measure.ts';
import type { Usage } from '../report-cpu.ts';
import { type Extent, prepareWork, type RuleName, ruleNames, type Work, type WorkName, workNames } from './work.ts';
import { entryOf, ownTree, treeOf } from './working-tree.ts';

const options = {
  against: { type: 'string' },
  records: { type: 'string', default: '10000' },
  orgs: { type: 'string', default: '1' },
  statements: { type: 'string', default: '1' },
  events: { type: 'string', default: '0' },
  event: { type: 'string', default: '{}' },
  'records-before': { type: 'string' },
  'orgs-before': { type: 'string' },
  'statements-before': { type: 'string' },
  'events-before': { type: 'string' },
  rounds: { type: 'string', default: '24' },
  only: { type: 'string', default: workNames.join() },
  rules: { type: 'string', default: ruleNames.join() },
  flags: { type: 'string', multiple: true, default: [] as string[] },
  env: { type: 'string', multiple: true, default: [] as string[] },
  pinned: { type: 'boolean', default: false },
} as const;

/** Short enough that both platforms meet the same neighbours on the machine. */
const requests = { get: 1500, list: 500, create: 400, update: 400, mix: 800 } as const;
const warmUp = 8;

interface Side {
  readonly platform: Platform;
  readonly works: ReadonlyMap<RuleName, Work>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const { against, pinned } = values;
  if (against === undefined) throw new TypeError('say --against which commit or folder');
  const works = chosen(values.only, workNames);
  const rules = chosen(values.rules, ruleNames);
  const { records, orgs, statements, events } = values;
  const extent = extentOf({ records, orgs, statements, events });
  const extentBefore = extentOf({
    records: values['records-before'] ?? records,
    orgs: values['orgs-before'] ?? orgs,
    statements: values['statements-before'] ?? statements,
    events: values['events-before'] ?? events,
  });
  const env = Object.fromEntries(values.env.map((pair) => pair.split(/=(.*)/s, 2)));
  const event = JSON.parse(values.event) as object;
  const load = startLoad(pinned);
  const [before, after] = await Promise.all([
    prepared(treeOf(against), rules, extentBefore, { pinned, event }),
    prepared(ownTree, rules, extent, { pinned, event, flags: values.flags, env }),
  ]);
  try {
    const rows: Record<string, unknown> = {};
    for (const rule of rules)
      for (const work of works)
        rows[`${work}, ${rule}`] = await compared(before, after, { rule, work, rounds: Number(values.rounds), load });
    console.log(`Node ${process.version}, ${connections} connections, ${values.rounds} rounds`);
    console.log(`before: ${textOf(extentBefore)}; after: ${textOf(extent)}`);
    console.table(rows);
    console.log(`resident set, MB: before ${await residentOf(before)}, after ${await residentOf(after)}`);
  } finally {
    load.kill();
    await Promise.all([before.platform.terminate(), after.platform.terminate()]);
  }
}

function extentOf(words: Readonly<Record<keyof Extent, string>>): Extent {
  const { records, orgs, statements, events } = words;
  return { records: Number(records), orgs: Number(orgs), statements: Number(statements), events: Number(events) };
}

function textOf(extent: Extent): string {
  return Object.entries(extent)
    .map(([name, value]) => `${value} ${name}`)
    .join(', ');
}

function chosen<Name extends string>(words: string, known: readonly Name[]): readonly Name[] {
  const unknown = words.split(',').filter((word) => !known.some((name) => name === word));
  if (unknown.length > 0) throw new TypeError(`there is no ${unknown.join(', ')}, but ${known.join(', ')}`);
  return known.filter((name) => words.split(',').includes(name));
}

function startLoad(pinned: boolean): ChildProcess {
  const program = join(import.meta.dirname, '..', 'load.ts');
  return pinned ? fork(program, { execPath: 'taskset', execArgv: ['-c', '1', process.execPath] }) : fork(program);
}

interface Start {
  readonly pinned: boolean;
  /** Members of the contents of its events. */
  readonly event: object;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function prepared(tree: string, rules: readonly RuleName[], extent: Extent, start: Start): Promise<Side> {
  const { pinned, event, flags = [], env = {} } = start;
  const passwords = join(tree, 'packages', 'acceptance', 'src', 'fast-passwords.ts');
  const node = [process.execPath, ...nodeFlags, '--import', passwords, ...flags, entryOf(tree)] as const;
  const platform = await startPlatform({ byWords: pinned ? ['taskset', '-c', '0', ...node] : node, env, ipc: true });
  return { platform, works: await prepareWork(platform, rules, extent, event) };
}

interface Part {
  readonly rule: RuleName;
  readonly work: WorkName;
  readonly rounds: number;
  readonly load: ChildProcess;
}

async function compared(before: Side, after: Side, { rule, work, rounds, load }: Part) {
  const plan: Plan = {
    rounds,
    requests: requests[work],
    warmUpRequests: warmUp * requests[work],
    millisecondsMax: 60_000,
    staysAwake: false,
  };
  const run = ({ platform, works }: Side) => {
    const server: Server = { child: platform.child, port: Number(new URL(platform.app).port) };
    return { server, job: () => job(server, plan, ...(works.get(rule)?.(work, plan.requests) ?? [])) };
  };
  const costs = await compete({ before: run(before), after: run(after) }, plan, load);
  const ratios = costs.map((round) => round.after.cpuMicroseconds / round.before.cpuMicroseconds);
  const [old, now] = [medianCost(costs.map((one) => one.before)), medianCost(costs.map((one) => one.after))];
  return {
    ratio: median(ratios).toFixed(3),
    quarters: quartersOf(ratios)
      .map((value) => value.toFixed(2))
      .join('–'),
    'CPU µs before': old.cpuMicroseconds.toFixed(1),
    'CPU µs after': now.cpuMicroseconds.toFixed(1),
    'requests/s before': Math.round(old.requestsPerSecond),
    'requests/s after': Math.round(now.requestsPerSecond),
  };
}

/** The values that leave a quarter of all below and above them. */
function quartersOf(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((left, right) => left - right);
  const half = Math.ceil(sorted.length / 2);
  return [median(sorted.slice(0, half)), median(sorted.slice(-half))];
}

async function residentOf({ platform }: Side): Promise<number> {
  const answer = once(platform.child, 'message');
  platform.child.send('usage');
  const [usage] = (await answer) as [Usage];
  return Math.round(usage.residentBytes / 2 ** 20);
}

await main();
