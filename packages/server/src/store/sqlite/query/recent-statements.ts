import type { DatabaseSync } from 'node:sqlite';
import type { Sql, SqlValue } from './sql.ts';

type Row = readonly unknown[];

interface Prepared {
  all(...values: readonly SqlValue[]): Row[];
}

const statementsMax = 64;

/** Keeps the statements that were used last: their texts are made from questions, of which there is no end. */
export class RecentStatements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get size(): number {
    return this.#prepared.size;
  }

  /** @throws what SQLite throws; the statement is then prepared again. */
  rows<T extends Row>({ text, values }: Sql): readonly T[] {
    const statement = this.#prepared.get(text) ?? this.#prepare(text);
    // Behind the others: it was used last. Nowhere, where it fails: it would tell its error once more.
    this.#prepared.delete(text);
    const rows = statement.all(...values) as T[];
    this.#prepared.set(text, statement);
    if (this.#prepared.size > statementsMax) {
      const [oldest = ''] = this.#prepared.keys();
      this.#prepared.delete(oldest);
    }
    return rows;
  }

  #prepare(text: string): Prepared {
    // The type package describes rows as objects only; with `returnArrays` they are arrays.
    return this.#database.prepare(text, { returnArrays: true }) as unknown as Prepared;
  }
}
