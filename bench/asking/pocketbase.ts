/** PocketBase with the same records, by the program that `POCKETBASE` names. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../../packages/acceptance/src/call.ts';
import { temporaryDirectory } from '../../packages/acceptance/src/platform.ts';
import { type Order, orderAt, ownOneOf } from './questions.ts';

export interface Rival {
  readonly url: string;
  /** Of an administrator, whom no rule binds, and of a user who sees own records alone. */
  readonly tokens: Readonly<Record<'actions' | 'row', string>>;
  /** Milliseconds. */
  cpu(): number;
  stop(): Promise<void>;
}

const [admin, user] = ['admin@example.com', 'user@example.com'];
const password = 'correct horse battery';

/** Makes the collections by its API, and writes the records to its database while it does not run. */
export async function startRival(program: string, records: number): Promise<Rival> {
  // It puts files beside its folder.
  const dir = join(temporaryDirectory(), 'data');
  execFileSync(program, ['superuser', 'upsert', admin, password, '--dir', dir], { stdio: 'ignore' });
  const first = await serve(program, dir);
  const own = await prepare(first.url);
  await first.stop();
  fill(join(dir, 'data.db'), records, own);
  const { child, url, stop } = await serve(program, dir);
  const tokens = { actions: await logIn(url, '_superusers', admin), row: await logIn(url, 'users', user) };
  return { url, tokens, cpu: () => cpuOf(child.pid ?? 0), stop };
}

async function serve(program: string, dir: string) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(program, ['serve', '--dir', dir, '--http', new URL(url).host], { stdio: 'ignore' });
  const kill = (): void => void child.kill();
  process.once('exit', kill);
  for (let tries = 0; !(await isHealthy(url)); tries++) {
    if (tries > 200 || child.exitCode !== null) throw new Error('PocketBase does not start');
    await pause(50);
  }
  return { child, url, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/health`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

async function logIn(url: string, collection: string, identity: string): Promise<string> {
  const body = { identity, password };
  const path = `${url}/api/collections/${collection}/auth-with-password`;
  return (await call<{ token: string }>('POST', path, { body })).body.token;
}

/** @returns the id of the user. */
async function prepare(url: string): Promise<string> {
  const authorization = await logIn(url, '_superusers', admin);
  const post = async (path: string, body: object): Promise<string> => {
    const reply = await call<{ id: string }>('POST', `${url}/api/${path}`, { headers: { authorization }, body });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body.id;
  };
  const texts = ['region', 'branch', 'note', 'seller'].map((name) => ({ name, type: 'text' }));
  const times = ['created', 'updated'].map((name) => ({ name, type: 'autodate', onCreate: true }));
  await post('collections', {
    ...{ name: 'orders', type: 'base', listRule: 'seller = @request.auth.id' },
    fields: [...texts, { name: 'amount', type: 'number' }, { name: 'ordered_at', type: 'date' }, ...times],
    indexes: ['create index orders_branch on orders (branch)'],
  });
  const views = {
    by_region: 'select (row_number() over()) as id, region, sum(amount) as total from orders group by region',
    by_month: `select (row_number() over()) as id, substr(ordered_at, 1, 7) as month, count(*) as orders
      from orders group by month`,
  };
  for (const [name, viewQuery] of Object.entries(views)) await post('collections', { name, type: 'view', viewQuery });
  return post('collections/users/records', { email: user, password, passwordConfirm: password });
}

function fill(path: string, records: number, own: string): void {
  using database = new DatabaseSync(path);
  const insert =
    database.prepare(`insert into orders (id, region, branch, note, seller, amount, ordered_at, created, updated)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const timeOf = (text: string): string => text.replace('T', ' ');
  const made = timeOf(new Date().toISOString());
  database.exec('begin');
  for (let index = 0; index < records; index++) {
    const { region, branch, note, amount, ordered_at }: Order = orderAt(index);
    const seller = index % ownOneOf === 0 ? own : 'another0000000';
    const id = index.toString(36).padStart(15, '0');
    insert.run(id, region, branch, note, seller, amount, timeOf(ordered_at), made, made);
  }
  database.exec('commit; pragma wal_checkpoint(truncate)');
}

/** Of all threads of a process, to the nanosecond. Its threads do not end. */
function cpuOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const used = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]));
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}
