import pg from 'pg';
import type { Rival } from './rival.ts';

interface InsertOptions {
  readonly url: string;
  readonly schema: string;
  readonly connections: number;
}

/**
 * Transactions of one INSERT, written by hand and sent through the same driver: a client waits for a free connection,
 * sends one prepared statement, and gives it back. A row is the record alone, without index, counter and conditions.
 */
export async function openInserts({ url, schema, connections }: InsertOptions): Promise<Rival> {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  await pool.query(`create table "${schema}".by_hand (like "${schema}".items including all)`);
  const insert = {
    name: 'insert',
    text: `insert into "${schema}".by_hand (scope, pk, sk, version, value) values ('one', $1, $2, 1, $3)`,
  };
  return {
    name: 'INSERT of a row, by hand',
    targets: { 1: 1 / 2.2, 32: 1 },
    async create(changes) {
      const record = changes.find((change) => change.kind === 'put');
      if (record !== undefined) await pool.query({ ...insert, values: [record.pk, record.sk, record.value] });
    },
    close: () => pool.end(),
  };
}
