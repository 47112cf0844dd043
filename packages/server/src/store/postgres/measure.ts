/**
 * What the store on PostgreSQL does in a second, beside transactions of one INSERT that are written by hand and go
 * through the same driver over as many connections. Run by `npm run bench:postgres`; nothing fails on a slow machine.
 */
import pg from 'pg';
import { systemClock } from '../../lib/clock.ts';
import { add, check, put, putIndex } from '../conformance/bench.ts';
import type { Scope } from '../port.ts';
import { openPostgres } from './open-postgres.ts';
import { startTestServer, whyNot } from './test-server.ts';

const connections = 8;
const secondsOfRound = 1.5;
const rounds = 5;
let created = 0;
const value = JSON.stringify({ title: 'x'.repeat(400) });

if (whyNot === false) await measure();
else say(whyNot);

async function measure(): Promise<void> {
  const server = await startTestServer();
  const space = `measured_${process.pid}`;
  const counts = { reads: 2, commits: connections };
  const { store } = await openPostgres({ url: server.url, space, clock: systemClock, connections: counts });
  const byHand = await openByHand(server.url, `freehold_${space}`);
  const [version] = await server.run('show server_version');
  say(`PostgreSQL ${version?.server_version}, Node ${process.version}, ${connections} connections each\n`);
  say(`a second, median of ${rounds} rounds of ${secondsOfRound} s`);

  const one = store.scope('one');
  const many = Array.from({ length: 32 }, (_, index) => store.scope(`many-${index}`));
  for (const scope of [one, ...many]) await scope.commit([put('fence', 'f')]);
  const inserts: Work = { name: 'INSERT of a row, by hand', run: () => byHand.insert() };
  const creates: Work = { name: 'create, one scope', run: () => create(one) };
  const spread: Work = { name: 'create, 32 scopes', run: (client) => create(many[client % many.length] ?? one) };
  for (const clients of [1, 32, 256]) await compare(clients, [inserts, creates, spread]);

  const ids = Array.from({ length: 1000 }, (_, index) => String(index).padStart(6, '0'));
  for (const id of ids) await one.commit([put('read', id, { value }), putIndex('index#read', id, 'read', id)]);
  const somewhere = () => ids[Math.floor(Math.random() * 900)] ?? '';
  const gets: Work = { name: 'get', run: () => one.get([{ pk: 'read', sk: somewhere() }]) };
  const ranges: Work = { name: 'range of 20', run: () => one.range('read', { after: somewhere(), limit: 20 }) };
  const follows: Work = {
    name: 'follow of 20',
    run: () => one.follow('index#read', { after: somewhere(), limit: 20 }),
  };
  for (const clients of [1, 32, 256]) await compare(clients, [gets, ranges, follows]);

  await byHand.end();
  await store.close();
  await server.run(`drop schema "freehold_${space}" cascade`);
  await server.stop();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Work {
  readonly name: string;
  readonly run: (client: number) => Promise<unknown>;
}

/** What a create of a record with an index commits: four changes, two of them under a condition. */
function create(scope: Scope): Promise<unknown> {
  const id = `${Date.now()}-${++created}`;
  return scope.commit([
    check('fence', 'f', 'present'),
    put('data', id, { value, if: 'absent' }),
    putIndex('index#status', `open#${id}`, 'data', id),
    add('count', 'data', 1),
  ]);
}

/** In turns, so that what else the machine does hits all alike. */
async function compare(clients: number, works: readonly Work[]): Promise<void> {
  const figures = works.map((): number[] => []);
  for (const { run } of works) await perSecond(clients, run, 0.5);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { run }] of works.entries()) figures[index]?.push(await perSecond(clients, run, secondsOfRound));
  }
  const medians = figures.map((all) => all.toSorted((left, right) => left - right)[rounds >> 1] ?? 0);
  for (const [index, { name }] of works.entries()) {
    const median = medians[index] ?? 0;
    const lone = clients === 1 ? `${((1e6 / median) | 0).toString().padStart(7)} µs each` : ''.padStart(15);
    const ratio = (median / (medians[0] ?? 1)).toFixed(2);
    say(
      `${String(clients).padStart(4)} clients  ${name.padEnd(26)}${median.toFixed(0).padStart(8)}${lone}  × ${ratio}`,
    );
  }
}

async function perSecond(clients: number, run: Work['run'], seconds: number): Promise<number> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let done = 0;
  const work = async (_: unknown, client: number) => {
    for (; performance.now() < end; done++) await run(client);
  };
  await Promise.all(Array.from({ length: clients }, work));
  return (done * 1000) / (performance.now() - start);
}

interface ByHand {
  insert(): Promise<void>;
  end(): Promise<void>;
}

/** A client waits for a free connection, sends one prepared INSERT, which is a transaction, and gives it back. */
async function openByHand(url: string, schema: string): Promise<ByHand> {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  await pool.query(`create table "${schema}".by_hand (like "${schema}".items including all)`);
  const insert = {
    name: 'insert',
    text: `insert into "${schema}".by_hand (scope, pk, sk, version, value) values ('one', 'data', $1, 1, $2)`,
  };
  return {
    async insert() {
      await pool.query({ ...insert, values: [`${Date.now()}-${++created}`, value] });
    },
    end: () => pool.end(),
  };
}
