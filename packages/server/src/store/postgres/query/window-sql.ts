/** Statements on a window: the rows of a part of a partition that come first in the order of the read. */
import type { Where } from '../../../lib/where.ts';
import type { BoundedMeasure, BoundedSelect } from '../../engine.ts';
import { type GroupMember, isIndexPartition, type Measure } from '../../port.ts';
import type { Value } from '../connections/connection.ts';
import { isLive, type SqlStatement } from '../statements.ts';
import { MemberColumns, Parameters } from './member-columns.ts';
import { textConditions, whereSql } from './where-sql.ts';

/** The first values of a window's statement. */
export interface WindowValues {
  readonly scope: string;
  readonly pk: string;
  /** In the window, where there is such a key. */
  readonly from: string;
  /** Behind the window. */
  readonly to: string;
  readonly now: number;
  /** So many rows at most. */
  readonly rows: number;
  /** It ends with the row that takes the sum of the values to so many bytes. */
  readonly bytes: number;
}

/** A statement on any window of a read: the values behind those of the window are the same for each. */
export interface WindowStatement extends SqlStatement {
  readonly constants: readonly Value[];
}

export function valuesOf({ constants }: WindowStatement, window: WindowValues): readonly Value[] {
  const { scope, pk, from, to, now, rows, bytes } = window;
  return [scope, pk, from, to, now, rows, bytes, ...constants];
}

const firstValues: readonly null[] = Array.from({ length: 7 }, () => null);

/** `place` counts from 1 in the order of the read, `bytes` are those up to the row. `isMatch` is null of an odd row. */
export type SelectedRow = readonly [
  place: number,
  sk: string,
  version: number,
  isMatch: boolean | null,
  isLast: boolean,
  bytes: number,
  value: string | null,
];

/** Gives rows that match, odd ones, and the last one, the first `take` of these. */
export function selectStatement(
  { schema, isReverse, pk }: Source,
  { where, take }: Pick<BoundedSelect, 'where'> & { readonly take: number },
): WindowStatement {
  const parameters = new Parameters(firstValues);
  const columns = new MemberColumns(parameters);
  const order = orderOf({ isReverse });
  const condition = whereSql(where, columns);
  const text = `
    select place, sk, version, is_match, is_last, bytes, case when is_match is not false then value end
    from (
      select place, sk, version, bytes, value, lead(sk) over (${order}) is null as is_last,
        case when ${columns.isOdd} then null else ${condition} end as is_match
      from (${membersSql({ schema, isReverse, pk }, where, { parameters, columns })}) as members) as judged
    where is_match is not false or is_last ${order} limit ${parameters.add(take, 'bigint')}`;
  return statementOf(text, parameters);
}

/**
 * Groups: the rows that do not match are one, each odd one is one of its own, whose value comes with it. Behind these
 * columns come the members of the key, then the columns of each measure.
 */
export type GroupRow = readonly [
  isMatch: boolean | null,
  oddSk: string | null,
  rows: number,
  last: string,
  bytes: number,
  value: string | null,
  ...unknown[],
];

export function measureStatement(
  { schema, isReverse, pk }: Source,
  { where, group, measures }: Pick<BoundedMeasure, 'where' | 'group' | 'measures'>,
): WindowStatement {
  const parameters = new Parameters(firstValues);
  const columns = new MemberColumns(parameters);
  const condition = whereSql(where, columns);
  const keys = group.map((member) => `case when is_match then ${keySql(member, columns)} end`);
  const figures = measures.flatMap((measure) => figuresSql(measure, columns));
  const text = `
    select ${[
      'is_match, case when is_match is null then sk end, count(*)',
      `${isReverse ? 'min' : 'max'}(sk), max(bytes), min(value) filter (where is_match is null)`,
      ...keys,
      ...figures,
    ].join(', ')}
    from (
      select *, case when ${columns.isOdd} then null else ${condition} end as is_match
      from (${membersSql({ schema, isReverse, pk }, where, { parameters, columns })}) as members offset 0) as judged
    group by ${[1, 2, ...keys.map((_, index) => groupColumns + index + 1)].join(', ')}`;
  return statementOf(text, parameters);
}

/** The number of columns before the members of a key. */
export const groupColumns = 6;

/** Rows as they are. */
export type PageRow = readonly [sk: string, version: number, value: string];

export function pageStatement(source: Source): WindowStatement {
  return statementOf(
    `select sk, version, value from (${pageSql(source)}) as page ${orderOf(source)}`,
    new Parameters(firstValues),
  );
}

interface Source {
  readonly schema: string;
  readonly pk: string;
  readonly isReverse: boolean;
}

interface Looked {
  readonly parameters: Parameters;
  readonly columns: MemberColumns;
}

/** Called when all columns are known. Each level names the order, or the level above it would sort. */
function membersSql(source: Source, where: Where, { parameters, columns }: Looked): string {
  const known = columns.list === '' ? unread : parsedSql(textConditions(where, parameters));
  const ordered = `${orderOf(source)} offset 0`;
  return `
    select place, sk, version, bytes, value, j${columns.list}
    from (
      select place, sk, version, bytes, value, ${known} as j
      from (${pageSql(source)}) as page ${ordered}) as parsed ${ordered}`;
}

function orderOf({ isReverse }: Pick<Source, 'isReverse'>): string {
  return `order by sk ${isReverse ? 'desc' : 'asc'}`;
}

/** Null of odd values. @param spared without one of these conditions on its text, a value has nothing to be found. */
function parsedSql(spared: readonly string[]): string {
  const read =
    spared.length === 0 ? 'value::jsonb' : `case when ${spared.join(' and ')} then value::jsonb else ${unread} end`;
  return `case when strpos(value, ${unicodeEscape} collate "C") = 0 then ${read}
    when value ~ ${unreadable} then null else value::jsonb end`;
}

/** Has no members. */
const unread = `'null'::jsonb`;
/** `\u` */
const unicodeEscape = `e'\\\\u'`;
/** U+0000 and halves of surrogate pairs, on which `jsonb` would end the statement. */
const unreadable = `e'\\\\\\\\u(0000|[dD][89a-fA-F])'`;

function pageSql({ schema, pk, isReverse }: Source): string {
  const items = `"${schema}".items`;
  const order = orderOf({ isReverse });
  const bounds = 'scope = $1 and pk = $2 and sk >= $3 and sk < $4';
  const found = isIndexPartition(pk)
    ? `select entry.sk, found.version, found.value
       from ${items} as entry
       cross join lateral (
         select target.version, target.value from ${items} as target
         where target.scope = $1 and target.pk = entry.target_pk and target.sk = entry.target_sk
           and ${isLive('target.', '$5')} limit 1) as found
       where ${bounds.replaceAll(/(scope|pk|sk) /g, 'entry.$1 ')} ${order.replace('sk', 'entry.sk')} limit $6`
    : `select sk, version, value from ${items} where ${bounds} and ${isLive('', '$5')} ${order} limit $6`;
  return `
    select place, sk, version, bytes, value from (
      select sk, version, value, row_number() over rows_before as place,
        sum(octet_length(value)) over rows_before as bytes
      from (${found}) as found window rows_before as (${order} rows unbounded preceding)) as sized
    where bytes - octet_length(value) <= $7 ${order}`;
}

function keySql({ path, type, bounds }: GroupMember, columns: MemberColumns): string {
  const value = columns.typed(path, type);
  if (bounds === undefined) return value;
  if (bounds.length === 0) return `case when ${value} is not null then 0 end`;
  return `width_bucket(${value}, ${columns.constants(bounds, type)})`;
}

/** The columns of a measure. */
function figuresSql(measure: Measure, columns: MemberColumns): readonly string[] {
  if (measure.kind === 'count') return [];
  const { kind, path, type } = measure;
  const value = columns.typed(path, type);
  const matching = 'filter (where is_match)';
  switch (kind) {
    case 'sum':
      return [`count(${value}) ${matching}`, `sum(${type === 'integer' ? `(${value})::bigint` : value}) ${matching}`];
    case 'min':
      return [`${type === 'boolean' ? 'bool_and' : 'min'}(${value}) ${matching}`];
    case 'max':
      return [`${type === 'boolean' ? 'bool_or' : 'max'}(${value}) ${matching}`];
    case 'distinct':
      return [`array_agg(distinct ${value}) filter (where is_match and ${value} is not null)`];
  }
}

function statementOf(text: string, { values }: Parameters): WindowStatement {
  return { text: text.replaceAll(/\s+/g, ' ').trim(), constants: values.slice(firstValues.length) };
}
