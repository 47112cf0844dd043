/**
 * What a hundred orgs notice of each other's automation.
 *
 *   npm run bench -- automation-fairness [--orgs 100] [--seconds 8] [--rounds 3]
 *
 * Each org has an event that is delivered, creates and gets a record every two seconds. The p99 of these calls, and of the
 * time from a create to its delivery, is measured alone, and beside other orgs: one with a dead endpoint (it takes calls
 * and never answers), one or two that run an endless script in a loop (there are two threads for scripts), and all three. The
 * org with the dead endpoint creates a hundred times as much as each of the rest. Goal: at most doubled.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeEvent } from '../../packages/acceptance/src/event-receiver.ts';
import { type AppUser, act, defineEntity, definition, foundedOrg, manage } from '../../packages/acceptance/src/org.ts';
import { type Gateways, startPlatform } from '../../packages/acceptance/src/platform.ts';
import type { Arrived } from './receiver.ts';

const pauseMilliseconds = 2000;
/** Creates of the org with the dead endpoint. */
const deadPerSecond = 50;
const nothing = async (): Promise<void> => undefined;

/** Milliseconds, by what was done. */
interface Seen {
  readonly create: number[];
  readonly get: number[];
  readonly delivery: number[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      orgs: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const milliseconds = 1000 * Number(values.seconds);
  const passwords = join(import.meta.dirname, '..', '..', 'packages', 'acceptance', 'src', 'fast-passwords.ts');
  const platform = await startPlatform({ nodeFlags: ['--import', passwords] });
  const receiver = fork(join(import.meta.dirname, 'receiver.ts'));
  const tarpit = createServer((socket) => socket.on('error', nothing)).listen(0, '127.0.0.1');
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    const dead = await shop(platform, `http://127.0.0.1:${(tarpit.address() as AddressInfo).port}/`);
    const endless = [await endlessOf(platform), await endlessOf(platform)];
    const users: AppUser[] = [];
    while (users.length < Number(values.orgs)) users.push(await shop(platform, `http://127.0.0.1:${port}/`));
    const cases = {
      alone: [],
      'a dead endpoint': [flooding(dead)],
      'an endless script': endless.slice(1).map(running),
      'two endless scripts': endless.map(running),
      'all three': [flooding(dead), ...endless.map(running)],
    };
    const seen = Object.fromEntries(Object.keys(cases).map((name) => [name, noneSeen()])) as Record<
      keyof typeof cases,
      Seen
    >;
    const stage = { users, receiver, milliseconds };
    await measured(stage, [], noneSeen());
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [name, aggressors] of Object.entries(cases))
        await measured(stage, aggressors, seen[name as keyof typeof cases]);
    console.log(`Node ${process.version}, ${values.orgs} orgs, load ${loadavg()[0]?.toFixed(1)}`);
    console.table(Object.fromEntries(Object.entries(seen).map(([name, one]) => [name, rowOf(one, seen.alone)])));
  } finally {
    receiver.kill();
    tarpit.close();
    await platform.terminate();
  }
}

/** The founder of an org whose creates are delivered to an address. */
async function shop(gateways: Gateways, url: string): Promise<AppUser> {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await makeEvent(org, 'tell', url);
  return founder;
}

async function endlessOf(gateways: Gateways): Promise<AppUser> {
  const { org, founder } = await foundedOrg(gateways);
  const content = { name: 'endless', steps: [{ id: 'run', type: 'script', source: 'for (;;);' }] };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'endless', content } });
  if (made.status !== 201) throw new Error(made.text);
  return founder;
}

type Aggressor = (isOver: () => boolean) => Promise<void>;

function flooding(user: AppUser): Aggressor {
  return async (isOver) => {
    while (!isOver()) {
      await createOrder(user);
      await after(1000 / deadPerSecond);
    }
  };
}

function running(user: AppUser): Aggressor {
  return async (isOver) => {
    while (!isOver()) {
      const { status, text } = await act(user, 'POST', '/logicblocks/endless', { body: {} });
      if (status < 400) throw new Error(`an endless script was answered ${status}: ${text}`);
    }
  };
}

interface Stage {
  readonly users: readonly AppUser[];
  readonly receiver: ChildProcess;
  readonly milliseconds: number;
}

async function measured(
  { users, receiver, milliseconds }: Stage,
  aggressors: readonly Aggressor[],
  seen: Seen,
): Promise<void> {
  const startedAt = Date.now();
  const isOver = (): boolean => Date.now() - startedAt >= milliseconds;
  const createdAt = new Map<string, number>();
  const work = async (user: AppUser): Promise<void> => {
    await after(Math.random() * pauseMilliseconds);
    while (!isOver()) {
      const at = Date.now();
      const since = performance.now();
      const id = await createOrder(user);
      seen.create.push(performance.now() - since);
      createdAt.set(id, at);
      const read = performance.now();
      const { status, text } = await act(user, 'GET', `/item/order/${id}`);
      if (status !== 200) throw new Error(text);
      seen.get.push(performance.now() - read);
      await after(pauseMilliseconds);
    }
  };
  await Promise.all([...users.map(work), ...aggressors.map((aggressor) => aggressor(isOver))]);
  for (const [id, at] of await arrivalsOf(receiver, createdAt.keys())) {
    const since = createdAt.get(id);
    if (since !== undefined) seen.delivery.push(at - since);
  }
}

async function createOrder(user: AppUser): Promise<string> {
  const { status, text, body } = await act(user, 'POST', '/create/order', { body: { title: 'one' } });
  if (status !== 201) throw new Error(text);
  return body.id;
}

/** When each of the records was delivered first, once all were. */
async function arrivalsOf(receiver: ChildProcess, ids: Iterable<string>): Promise<ReadonlyMap<string, number>> {
  const awaited = [...ids];
  for (const startedAt = Date.now(); ; await after(100)) {
    const answer = once(receiver, 'message');
    receiver.send('arrived');
    const arrived = new Map(((await answer) as [Arrived])[0]);
    const late = awaited.filter((id) => !arrived.has(id)).length;
    if (late === 0) return arrived;
    if (Date.now() - startedAt > 60_000) throw new Error(`${late} creates were not delivered within a minute`);
  }
}

function noneSeen(): Seen {
  return { create: [], get: [], delivery: [] };
}

function rowOf(one: Seen, alone: Seen): Record<string, string | number> {
  const row: Record<string, string | number> = { calls: one.create.length };
  for (const name of ['create', 'get', 'delivery'] as const) {
    row[`${name} p50`] = percentile(one[name], 0.5).toFixed(1);
    row[`${name} p99`] = percentile(one[name], 0.99).toFixed(1);
    row[`${name} ratio`] = (percentile(one[name], 0.99) / percentile(alone[name], 0.99)).toFixed(2);
  }
  return row;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

await main();
