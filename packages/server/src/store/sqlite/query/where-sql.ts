import {
  type Comparison,
  compareValues,
  isMemberPath,
  type MemberPath,
  type MemberType,
  type MemberValue,
  meetsWhere,
  soleElementsMax,
  type Where,
} from '../../../lib/where.ts';
import { bound, fixed, listed, type Sql, sql } from './sql.ts';

/**
 * The condition on `items.value`, whose texts are as `JSON.stringify` writes them. It is 0 or 1 and never null, which a
 * `not` would leave null.
 */
export function whereSql(where: Where): Sql {
  switch (where.kind) {
    case 'and':
      return joined(allSql(where.parts), where.kind);
    case 'or':
      return joined(where.parts.map(whereSql), where.kind);
    case 'not':
      return sql`not (${whereSql(where.part)})`;
    case 'present':
      return sql`ifnull(${memberOf(where.path).type} <> 'null', 0)`;
    case 'exists':
      return isOfType(memberOf(where.path), where.type);
    case 'compare':
      return compareSql(where);
    case 'in':
      return isOneOf(memberOf(where.path), where.type, where.values);
    case 'prefix': {
      const characters = fixed(String([...where.value].length));
      return ofText(
        memberOf(where.path),
        ({ value }) => sql`substr(${value}, 1, ${characters}) = ${bound(where.value)}`,
      );
    }
    case 'contains':
      return ofText(memberOf(where.path), ({ value }) => sql`instr(${value}, ${bound(where.value)}) > 0`);
    case 'element':
      return elementSql(where);
    case 'sole':
      return soleSql(where);
  }
}

/** Its name as a function of SQL, for what SQLite sees in another way: a condition as JSON, of a value. */
export const meetsFunction = 'freehold_meets';

export function meetsJson(value: unknown, where: unknown): number {
  const condition: unknown = JSON.parse(String(where));
  const record: unknown = JSON.parse(String(value));
  return meetsWhere(condition as Where, record) ? 1 : 0;
}

/** SQL for the JSON type of a value, and for the value. */
interface Member {
  readonly type: Sql;
  readonly value: Sql;
}

function memberOf(path: MemberPath): Member {
  const place = pathSql(path);
  return { type: sql`json_type(items.value, ${place})`, value: sql`json_extract(items.value, ${place})` };
}

/** As a literal, which SQLite looks up once for a statement. */
function pathSql(path: MemberPath): Sql {
  if (!isMemberPath(path)) throw new TypeError('a question names what no engine can be asked for');
  return fixed(`'$${path.map((name) => `."${name}"`).join('')}'`);
}

/** In a tree of little depth, since SQLite bounds that of an expression. */
function joined(parts: readonly Sql[], operator: 'and' | 'or'): Sql {
  const [first] = parts;
  if (first === undefined) return fixed(operator === 'and' ? '1' : '0');
  if (parts.length === 1) return first;
  const middle = parts.length >>> 1;
  return sql`(${joined(parts.slice(0, middle), operator)} ${fixed(operator)} ${joined(parts.slice(middle), operator)})`;
}

function ofText(member: Member, test: (member: Member) => Sql): Sql {
  return sql`case ${member.type} when 'text' then ${test(member)} else 0 end`;
}

/** Each look into a value takes time, so the type is asked last: of what is no number, some double meets the test too. */
function ofNumber(member: Member, test: (double: Sql) => Sql): Sql {
  return sql`case when ${test(doubleOf(member))} then ${member.type} in ('integer', 'real') else 0 end`;
}

function doubleOf({ value }: Member): Sql {
  return sql`cast(${value} as real)`;
}

/** Whether it is a whole number that a double holds exactly. */
function isWhole(member: Member): Sql {
  const double = doubleOf(member);
  const isSafe = sql`abs(${double}) <= 9007199254740991.0`;
  return sql`case ${member.type} when 'integer' then ${isSafe}
    when 'real' then ${isSafe} and cast(${double} as integer) = ${double} else 0 end`;
}

const forms = {
  date: { bytes: 10, glob: digits('dddd-dd-dd') },
  datetime: { bytes: 24, glob: digits('dddd-dd-ddTdd:5d:5d.dddZ') },
} as const;

function digits(form: string): string {
  return form.replaceAll('d', '[0-9]').replaceAll('5', '[0-5]');
}

/** By the bytes as well, since `glob` ends at U+0000. SQLite takes a day that no month has for one of the next. */
function isTime(value: Sql, type: 'date' | 'datetime'): Sql {
  const { bytes, glob } = forms[type];
  const hasForm = sql`octet_length(${value}) = ${fixed(String(bytes))} and ${value} glob ${fixed(`'${glob}'`)}`;
  if (type === 'date') return sql`(${hasForm} and date(${value}) is ${value})`;
  const day = sql`substr(${value}, 1, 10)`;
  return sql`(${hasForm} and substr(${value}, 12, 2) < '24' and date(${day}) is ${day})`;
}

function isOfType(member: Member, type: MemberType): Sql {
  switch (type) {
    case 'text':
      return sql`ifnull(${member.type} = 'text', 0)`;
    case 'number':
      return sql`ifnull(${member.type} in ('integer', 'real'), 0)`;
    case 'integer':
      return isWhole(member);
    case 'boolean':
      return sql`ifnull(${member.type} in ('true', 'false'), 0)`;
    case 'date':
    case 'datetime':
      return sql`ifnull(${isTime(member.value, type)}, 0)`;
  }
}

const operators: Readonly<Record<Comparison, string>> = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

type Compare = Where & { readonly kind: 'compare' };

/** Comparisons of one member, such as the two of a range, look into a value once. */
function allSql(parts: readonly Where[]): readonly Sql[] {
  const ranges = new Map<string, [Compare, ...Compare[]]>();
  const others: Where[] = [];
  for (const part of parts) {
    if (!isRange(part)) {
      others.push(part);
      continue;
    }
    const name = JSON.stringify([part.type, part.path]);
    const range = ranges.get(name);
    if (range === undefined) ranges.set(name, [part]);
    else range.push(part);
  }
  return [...others.map(whereSql), ...[...ranges.values()].map((range) => rangeSql(range))];
}

function isRange(where: Where): where is Compare {
  return where.kind === 'compare' && where.operator !== 'eq' && where.type !== 'text' && where.type !== 'boolean';
}

/** @param range none of which asks for a text or a boolean, or for what is equal. */
function rangeSql(range: readonly [Compare, ...Compare[]]): Sql {
  const [{ path, type }] = range;
  const member = memberOf(path);
  const holds = (left: Sql): Sql =>
    joined(
      range.map((one) => holdsSql(left, one)),
      'and',
    );
  switch (type) {
    case 'date':
    case 'datetime':
      return sql`case when ${holds(member.value)} then ${isTime(member.value, type)} else 0 end`;
    case 'integer':
      return sql`case when ${holds(doubleOf(member))} then ${isWhole(member)} else 0 end`;
    default:
      return ofNumber(member, holds);
  }
}

function holdsSql(left: Sql, { operator, value }: Compare): Sql {
  return sql`${left} ${fixed(operators[operator])} ${boundValue(value)}`;
}

function compareSql(where: Compare): Sql {
  const { path, type, operator, value } = where;
  const member = memberOf(path);
  if (operator === 'eq') return isOneOf(member, type, [value]);
  if (type === 'boolean') return amongBooleans(member, (one) => isOrdered(operator, compareValues(one, value)));
  if (type !== 'text') return rangeSql([where]);
  return ofText(member, (text) => {
    const inJavaScript = sql`${fixed(meetsFunction)}(items.value, ${bound(JSON.stringify(where))})`;
    return sql`case when ${mayBeOrderedOtherwise(text.value)} then ${inJavaScript} else ${holdsSql(text.value, where)} end`;
  });
}

function isOrdered(operator: Comparison, order: number): boolean {
  return order < 0
    ? operator === 'lt' || operator === 'lte'
    : order > 0
      ? operator === 'gt' || operator === 'gte'
      : operator !== 'lt' && operator !== 'gt';
}

/**
 * Half a surrogate pair is behind all characters of two bytes and less in the order of this process, and among them in
 * that of SQLite. It begins with the byte ED, as some Korean does, and is written as an escape.
 */
export function mayBeOrderedOtherwise(text: Sql): Sql {
  return sql`instr(${text}, cast(x'ed' as text)) > 0
    and (instr(items.value, '\\ud') > 0 or instr(items.value, '\\uD') > 0)`;
}

export function boundValue(value: MemberValue): Sql {
  return bound(typeof value === 'boolean' ? Number(value) : value);
}

function isOneOf(member: Member, type: MemberType, values: readonly MemberValue[]): Sql {
  if (values.length === 0) return fixed('0');
  const [only] = values;
  const among = (value: Sql): Sql =>
    only !== undefined && values.length === 1
      ? sql`${value} = ${boundValue(only)}`
      : sql`${value} in (${listed(values.map(boundValue))})`;
  switch (type) {
    case 'boolean':
      return amongBooleans(member, (one) => values.includes(one));
    case 'number':
    case 'integer':
      return ofNumber(member, among);
    case 'text':
    case 'date':
    case 'datetime':
      // What is no text comes out of SQLite as none, but for arrays and objects.
      return values.some((value) => /^[[{]/.test(String(value)))
        ? ofText(member, ({ value }) => among(value))
        : sql`ifnull(${among(member.value)}, 0)`;
  }
}

function amongBooleans({ type }: Member, test: (value: boolean) => boolean): Sql {
  const [ifTrue, ifFalse] = [true, false].map((value) => fixed(test(value) ? '1' : '0'));
  return sql`case ${type} when 'true' then ${ifTrue ?? fixed('0')} when 'false' then ${ifFalse ?? fixed('0')} else 0 end`;
}

const element: Member = { type: fixed('element.type'), value: fixed('element.value') };

function elementSql({ path, type, value }: Where & { readonly kind: 'element' }): Sql {
  return sql`(ifnull(${memberOf(path).type} = 'array', 0) and exists (
    select 1 from json_each(items.value, ${pathSql(path)}) as element where ${isOneOf(element, type, [value])}))`;
}

function soleSql({ path, type, values }: Where & { readonly kind: 'sole' }): Sql {
  const member = memberOf(path);
  const place = pathSql(path);
  return sql`case when ${member.type} is not 'array' then ${isOneOf(member, type, values)}
    when json_array_length(items.value, ${place}) > ${fixed(String(soleElementsMax))} then 0
    else (select count(*) = 1 and sum(${isOneOf(element, type, values)}) = 1
      from json_each(items.value, ${place}) as element where element.type <> 'null') end`;
}

/** The value of a member, or null where it is of another type: an integer as one of SQL, a boolean as 0 or 1. */
export function typedSql(path: MemberPath, type: MemberType): Sql {
  const member = memberOf(path);
  const { type: jsonType, value } = member;
  switch (type) {
    case 'text':
      return sql`case ${jsonType} when 'text' then ${value} end`;
    case 'number':
      return sql`case when ${jsonType} in ('integer', 'real') then ${doubleOf(member)} end`;
    case 'integer':
      return sql`case when ${isWhole(member)} then cast(${doubleOf(member)} as integer) end`;
    case 'boolean':
      return sql`case ${jsonType} when 'true' then 1 when 'false' then 0 end`;
    case 'date':
    case 'datetime':
      return sql`case when ${isTime(value, type)} then ${value} end`;
  }
}
