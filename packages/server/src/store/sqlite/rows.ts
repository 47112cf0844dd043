import type { DatabaseSync } from 'node:sqlite';
import type { Due, Item } from '../port.ts';

/** What a statement's row holds, in the order of its columns. Tables are strict, so the types hold. */
export type ItemRow = readonly [
  version: number,
  dueQueue: Due['queue'] | null,
  dueAt: number | null,
  value: string,
  sk: string,
  pk: string,
];
export type IndexRow = readonly [version: number, targetPk: string, targetSk: string, sk: string, pk: string];

export const itemColumns = 'version, due_queue, due_at, value, sk, pk';
export const indexColumns = 'version, target_pk, target_sk, sk, pk';

export function itemOfRow([version, dueQueue, dueAt, value, sk, pk]: ItemRow): Item {
  const item = { pk, sk, version, value };
  return dueQueue === null || dueAt === null ? item : { ...item, due: { at: dueAt, queue: dueQueue } };
}

export function indexItemOfRow([version, targetPk, targetSk, sk, pk]: IndexRow): Item {
  return { pk, sk, version, value: '', target: { pk: targetPk, sk: targetSk } };
}

/**
 * A limit that is a parameter. As an expression, since a bare one has SQLite compile the statement again whenever it is
 * bound, to plan for its value.
 */
export function limitSql(parameter = '?'): string {
  return `limit ${parameter} + 0`;
}

type Parameter = string | number | null;

/** A prepared statement whose rows are tuples: a third less work per row than objects with named columns. */
export interface Statement<Row> {
  get(...parameters: Parameter[]): Row | undefined;
  all(...parameters: Parameter[]): Row[];
  iterate(...parameters: Parameter[]): Iterable<Row>;
  run(...parameters: Parameter[]): unknown;
}

/** Prepares each text once. The texts are built from a handful of shapes, so their number is bounded. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Statement<unknown>>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare<Row>(sql: string): Statement<Row> {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known as Statement<Row>;
    // The type package describes rows as objects only; with `returnArrays` they are arrays.
    const statement = this.#database.prepare(sql, { returnArrays: true }) as unknown as Statement<Row>;
    this.#prepared.set(sql, statement);
    return statement;
  }
}
