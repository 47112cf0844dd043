/**
 * The calls of the stores in a second, and the memory and disk of a million records.
 *
 *   npm run bench -- store [--engine memory|sqlite|postgres] [--short]
 *
 * Durable creates are held against a rival in the same process, in turns: the embedded store against its own writer with
 * a transaction for each commit, PostgreSQL against INSERTs of a row that are written by hand. Nothing fails when a
 * target is missed: figures of a busy machine say little alone.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { compare, type Figure, type Plan, plans, type Work } from './compare.ts';
import { type Contestant, contestants, type OpenedContestant } from './contestants.ts';
import { createChanges, fence, fill } from './creates.ts';

const clientCounts = [1, 32, 256];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { engine: { type: 'string' }, short: { type: 'boolean' }, weigh: { type: 'string' } },
  });
  const wanted = contestants.filter(({ name }) => name === (values.engine ?? name));
  if (wanted.length === 0) throw new TypeError(`there is no engine ${values.engine}`);
  const plan = values.short ? plans.short : plans.full;
  for (const contestant of wanted) {
    if (contestant.whyNot !== false) say(`${contestant.name}: ${contestant.whyNot}`);
    else if (values.weigh === undefined) await measure(contestant, plan);
    else await weigh(contestant, Number(values.weigh));
  }
}

async function measure(contestant: Contestant, plan: Plan): Promise<void> {
  const subject = await contestant.open();
  say(`\n${contestant.name} (${subject.about}), Node ${process.version}`);
  say(`a second, median of ${plan.rounds} rounds of ${plan.secondsOfRound} s`);
  for (const clients of clientCounts) report(await compare(clients, await createWorks(subject, clients), plan));
  const reads = await readWorks(subject);
  for (const clients of clientCounts) report(await compare(clients, reads, plan));
  await subject.close();
  await showWeight(contestant, plan);
}

async function createWorks({ opened: { store }, rival }: OpenedContestant, clients: number): Promise<readonly Work[]> {
  const one = store.scope('one');
  const many = Array.from({ length: 32 }, (_, index) => store.scope(`many${index}`));
  for (const scope of [one, ...many]) await scope.commit([fence]);
  const target = rival?.targets[clients];
  const works: readonly Work[] = [
    { name: 'create, one scope', target, run: () => one.commit(createChanges()) },
    { name: 'create, 32 scopes', target, run: (client) => (many[client % 32] ?? one).commit(createChanges()) },
  ];
  return rival === undefined ? works : [{ name: rival.name, run: () => rival.create(createChanges()) }, ...works];
}

async function readWorks({ opened: { store } }: OpenedContestant): Promise<readonly Work[]> {
  const scope = store.scope('one');
  await fill(scope, { pk: 'read', records: 1000 });
  const keys = (await scope.range('read', { limit: 1000 })).map(({ sk }) => sk);
  const somewhere = () => keys[Math.floor(Math.random() * 900)] ?? '';
  const ofIndex = () => ({ after: `open#${somewhere()}`, limit: 20 });
  return [
    { name: 'get', run: () => inTurn(scope.get([{ pk: 'read', sk: somewhere() }])) },
    { name: 'range of 20', run: () => inTurn(scope.range('read', { after: somewhere(), limit: 20 })) },
    { name: 'follow of 20', run: () => inTurn(scope.follow('index#read', ofIndex())) },
  ];
}

/** Clients that are answered without waiting would never let go of the thread: now and then it takes a turn. */
let readsOfTurn = 0;
async function inTurn(read: Promise<unknown>): Promise<void> {
  await read;
  if (++readsOfTurn % 256 === 0) await setImmediate();
}

function report(figures: readonly Figure[]): void {
  for (const { work, clients, perSecond, ratio } of figures) {
    const each = clients === 1 ? `${(1e6 / perSecond).toFixed(0).padStart(7)} µs each` : ''.padStart(15);
    const verdict = ratio >= (work.target ?? 0) ? 'reached' : 'missed';
    const target = work.target === undefined ? '' : `  target × ${work.target.toFixed(2)}: ${verdict}`;
    const name = `${String(clients).padStart(4)} clients  ${work.name.padEnd(26)}`;
    say(`${name}${perSecond.toFixed(0).padStart(8)}${each}  × ${ratio.toFixed(2)}${target}`);
  }
}

/** In a process of its own, in which nothing else has been done. */
async function showWeight({ name, recordsMax = Number.POSITIVE_INFINITY }: Contestant, plan: Plan): Promise<void> {
  const records = Math.min(plan.records, recordsMax);
  const options = { execArgv: ['--expose-gc'] };
  const child = fork(import.meta.filename, ['--engine', name, '--weigh', String(records)], options);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${name} could not be filled`);
}

async function weigh(contestant: Contestant, records: number): Promise<void> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const start = performance.now();
  const subject = await contestant.open();
  const scope = subject.opened.store.scope('one');
  await fill(scope, { pk: 'data', records });
  const seconds = (performance.now() - start) / 1000;
  globalThis.gc?.();
  const memory = megabytes(process.memoryUsage().rss - before);
  const bytes = await subject.diskBytes();
  const disk = bytes === undefined ? '' : `, ${megabytes(bytes)} on disk`;
  say(`${records} records with an index entry each, made in ${seconds.toFixed(0)} s: ${memory} more memory${disk}`);
  await subject.close();
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
