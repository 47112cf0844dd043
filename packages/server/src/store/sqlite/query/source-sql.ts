import type { ScopeName } from '../../port.ts';
import { bound, fixed, type Sql, sql } from './sql.ts';

/** Keys of a partition between two of them. */
export interface Interval {
  readonly scope: ScopeName;
  readonly pk: string;
  readonly from: string;
  readonly isFromIncluded: boolean;
  /** Left out, it is open at its end. */
  readonly to?: string | undefined;
  readonly isToIncluded: boolean;
}

/**
 * Where the records of a partition come from: they are the items of it, or an index's targets, by the rows that it names or,
 * where one of these leads to nothing, by their keys.
 */
export type Source = 'items' | 'rows' | 'keys';

const joins: Readonly<Record<Source, string>> = {
  items: 'items',
  rows: 'index_items as entry cross join items on items.row = entry.target_row',
  keys: `index_items as entry
    cross join items on items.scope = entry.scope and items.pk = entry.target_pk and items.sk = entry.target_sk`,
};

export function keySql(source: Source): Sql {
  return fixed(source === 'items' ? 'items.sk' : 'entry.sk');
}

/** `from` and `where` of the records of an interval that have not expired. */
export function recordsSql(source: Source, interval: Interval, now: number): Sql {
  return sql`from ${fixed(joins[source])} where ${intervalSql(source, interval)} and ${liveSql(now)}`;
}

export function orderSql(source: Source, isReverse: boolean): Sql {
  return sql`order by ${keySql(source)} ${fixed(isReverse ? 'desc' : 'asc')}`;
}

/** As an expression: see `limitSql` of the reader. */
export function atMost(rows: number): Sql {
  return sql`limit ${bound(rows)} + 0`;
}

/** The key of the entry behind so many others of an interval, found in the index alone. */
export function keyBehindSql(source: 'items' | 'rows', interval: Interval, isReverse: boolean, entries: number): Sql {
  const table = fixed(source === 'items' ? 'items' : 'index_items as entry');
  return sql`
    select ${keySql(source)} from ${table} where ${intervalSql(source, interval)}
    ${orderSql(source, isReverse)} limit 1 offset ${bound(entries)} + 0`;
}

/** The number of items of an interval, found in the index alone. */
export function entriesSql(interval: Interval): Sql {
  return sql`select count(*) from items where ${intervalSql('items', interval)}`;
}

export const expiredMax = 1000;

/** In one row: how many of the first {@link expiredMax} expired items there are, and how many of them in a partition. */
export function someExpiredSql({ scope, pk }: Pick<Interval, 'scope' | 'pk'>, now: number): Sql {
  return sql`
    select count(*), count(case when scope = ${bound(scope)} and pk = ${bound(pk)} then 1 end) from (
      select scope, pk from items where due_queue = 'expire' and due_at <= ${bound(now)} ${atMost(expiredMax)})`;
}

/** The name of a function of SQL that takes the bytes of a value and ends the statement where there is no room for them. */
export const roomFunction = 'freehold_room';

/** A condition on `items.value`, for which a value of more than `shortBytes` is read only where there is room for it. */
export function inRoom(condition: Sql, shortBytes: number): Sql {
  const bytes = fixed('octet_length(items.value)');
  return sql`
    case when ${bytes} > ${fixed(String(shortBytes))} and not ${fixed(roomFunction)}(${bytes}) then 0 else (${condition}) end`;
}

/**
 * In one row: how many entries an interval has, how many of them are no records or have expired, and the bytes of the records.
 * No long value is read for that.
 */
export function sizeSql(source: 'items' | 'rows', interval: Interval, now: number): Sql {
  const isItems = source === 'items';
  const table = fixed(isItems ? 'items' : 'index_items as entry left join items on items.row = entry.target_row');
  const isDead = isItems ? sql`not ${liveSql(now)}` : sql`(items.row is null or not ${liveSql(now)})`;
  return sql`
    select count(*), count(case when ${isDead} then 1 end), ifnull(sum(octet_length(items.value)), 0)
    from ${table} where ${intervalSql(source, interval)}`;
}

function intervalSql(source: Source, { scope, pk, from, to, isFromIncluded, isToIncluded }: Interval): Sql {
  const table = fixed(source === 'items' ? 'items' : 'entry');
  const lower = sql`${table}.sk ${fixed(isFromIncluded ? '>=' : '>')} ${bound(from)}`;
  const upper = to === undefined ? fixed('') : sql`and ${table}.sk ${fixed(isToIncluded ? '<=' : '<')} ${bound(to)}`;
  return sql`${table}.scope = ${bound(scope)} and ${table}.pk = ${bound(pk)} and ${lower} ${upper}`;
}

function liveSql(now: number): Sql {
  return sql`(items.due_queue is not 'expire' or items.due_at > ${bound(now)})`;
}
