import assert from 'node:assert/strict';
import pg from 'pg';

/** The texts that are sent to servers while something runs. */
export async function sentWhile(work: () => Promise<void>): Promise<readonly string[]> {
  const sent = new Set<string>();
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  assert.ok(typeof query === 'function');
  Reflect.set(pg.Client.prototype, 'query', function record(this: unknown, ...args: readonly unknown[]) {
    const [config] = args;
    sent.add(typeof config === 'string' ? config : String((config as pg.QueryConfig).text));
    return query.apply(this, args);
  });
  try {
    await work();
  } finally {
    Reflect.set(pg.Client.prototype, 'query', query);
  }
  return [...sent];
}

/** Each table has its scope compared with the first parameter, or, where rows are written, each row begins with it. */
export function namesOneScope(sql: string): boolean {
  const insert = /^insert into "\w+"\.\w+ \(scope, [^)]*\) values (.*) on conflict \(scope[^)]*\) do /.exec(sql);
  if (insert !== null) {
    const rows = insert[1]?.split(/(?<=\)), /) ?? [];
    return rows.length > 0 && rows.every((row) => /^\(\$1, [^()]*\)$/.test(row));
  }
  const tables = [...sql.matchAll(/"\w+"\.(?:heads|items)(?: as (\w+))?/g)];
  const compared = [...sql.matchAll(/(?:(\w+)\.)?scope = \$1(?!\d)/g)];
  const aliases = (found: readonly RegExpMatchArray[]) => found.map(([, alias]) => alias ?? '').sort();
  const mentions = [...sql.matchAll(/\bscope\b/g)].length;
  assert.ok(tables.length > 0, sql);
  return mentions === compared.length && aliases(tables).join() === aliases(compared).join();
}
