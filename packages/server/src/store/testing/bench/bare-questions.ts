/**
 * The engines' own CPU time, for `npm run bench -- asking`: a program that answers each message of its parent with
 * milliseconds.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Where } from '../../../lib/where.ts';
import type { MeasureRead } from '../../port.ts';
import { cpuOf, serverProcess } from '../../postgres/testing/server-processes.ts';
import { measureStatement } from '../../sqlite/query/measure-sql.ts';
import { type Interval, orderSql, recordsSql } from '../../sqlite/query/source-sql.ts';
import { fixed, type Sql, sql } from '../../sqlite/query/sql.ts';
import { meetsFunction, meetsJson, whereSql } from '../../sqlite/query/where-sql.ts';

type Statement =
  | { readonly kind: 'select'; readonly where: Where; readonly limit?: number }
  | ({ readonly kind: 'measure' } & Pick<MeasureRead, 'where' | 'group' | 'measures'>);

type Ask =
  /** Statements on all records of the largest partition of a file of SQLite, each so often: of all together, per time. */
  | { readonly kind: 'bare'; readonly file: string; readonly statements: readonly Statement[]; readonly times: number }
  /** The CPU time of the PostgreSQL server of an address so far. */
  | { readonly kind: 'server'; readonly url: string };

/** As the threads have it that answer long questions. */
const cacheKibibytes = 16 * 1024;
const databases = new Map<string, { readonly database: DatabaseSync; readonly interval: Interval }>();

process.on('message', (ask: Ask) => {
  const answer = ask.kind === 'bare' ? bare(ask) : ofServer(ask.url);
  void answer.then(
    (milliseconds) => process.send?.({ milliseconds }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});

async function bare({ file, statements, times }: Ask & { readonly kind: 'bare' }): Promise<number> {
  const { database, interval } = opened(file);
  const prepared = statements.map((statement) => {
    const { text, values } = statementSql(statement, interval);
    const ready = database.prepare(text);
    ready.setReturnArrays(true);
    return () => ready.all(...values);
  });
  const before = process.cpuUsage();
  for (let nr = 0; nr < times; nr++) for (const run of prepared) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

function statementSql(statement: Statement, interval: Interval): Sql {
  const records = recordsSql('items', interval, Date.now());
  if (statement.kind === 'measure')
    return measureStatement({ ...statement, condition: whereSql(statement.where) }).of(records);
  const { where, limit = -1 } = statement;
  return sql`select items.sk, items.version, items.value ${records} and (${whereSql(where)})
    ${orderSql('items', true)} limit ${fixed(String(limit))}`;
}

function opened(file: string) {
  const known = databases.get(file);
  if (known !== undefined) return known;
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec(`pragma cache_size = -${cacheKibibytes}`);
  database.function(meetsFunction, { deterministic: true, directOnly: true }, meetsJson);
  const largest = database
    .prepare('select scope, pk from items group by scope, pk order by count(*) desc limit 1')
    .get();
  const [scope, pk] = [String(largest?.scope), String(largest?.pk)];
  const interval = { scope, pk, from: '', isFromIncluded: true, isToIncluded: false };
  databases.set(file, { database, interval });
  return { database, interval };
}

const servers = new Map<string, Promise<number | undefined>>();

async function ofServer(url: string): Promise<number> {
  const found = servers.get(url) ?? serverProcess(url);
  servers.set(url, found);
  const pid = await found;
  if (pid === undefined) throw new Error('the server runs on another machine');
  return cpuOf(pid);
}
