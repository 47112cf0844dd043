/** Conditions on records as conditions of SQL, which are true or false and never null, but in rows that are odd. */
import type { Comparison, MemberValue, Where } from '../../../lib/where.ts';
import { type MemberColumns, type Parameters, sqlTypes } from './member-columns.ts';

export function whereSql(where: Where, columns: MemberColumns): string {
  switch (where.kind) {
    case 'and':
    case 'or': {
      const parts = where.parts.map((part) => whereSql(part, columns));
      return parts.length === 0 ? String(where.kind === 'and') : `(${parts.join(` ${where.kind} `)})`;
    }
    case 'not':
      return `(not ${whereSql(where.part, columns)})`;
    case 'compare': {
      const { path, type, operator, value } = where;
      if (operator === 'eq') return columns.equal(path, type, value);
      const constant = columns.constant(value, sqlTypes[type].base);
      return `(${columns.typed(path, type)} ${operators[operator]} ${constant}) is true`;
    }
    case 'in':
      return columns.among(where.path, where.type, where.values);
    case 'exists':
      return `(${columns.typed(where.path, where.type)} is not null)`;
    case 'present':
      return columns.isPresent(where.path);
    case 'prefix':
      return `starts_with(${columns.typed(where.path, 'text')}, ${columns.constant(where.value, 'text')}) is true`;
    case 'contains':
      return `(strpos(${columns.typed(where.path, 'text')}, ${columns.constant(where.value, 'text')}) > 0) is true`;
    case 'element':
      return columns.hasElement(where.path, where.type, where.value);
    case 'sole':
      return columns.isSole(where.path, where.type, where.values);
  }
}

const operators: Readonly<Record<Exclude<Comparison, 'eq'>, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

const textsMax = 4;

/**
 * Conditions on the text of a JSON value without `\u`, of which all hold where `where` does: they spare the reading of
 * most other values.
 */
export function textConditions(where: Where, parameters: Parameters): readonly string[] {
  const conditions: string[] = [];
  let left = textsMax;
  for (const part of partsOf(where)) {
    const texts = textsOf(part) ?? [];
    if (texts.length === 0 || texts.length > left) continue;
    left -= texts.length;
    const found = texts.map((text) => `strpos(value, ${parameters.add(text, 'text')} collate "C") > 0`);
    conditions.push(`(${found.join(' or ')})`);
  }
  return conditions;
}

/** Which all have to hold. */
function partsOf(where: Where): readonly Where[] {
  return where.kind === 'and' ? where.parts.flatMap(partsOf) : [where];
}

/** Of which a value has one at least where the condition holds. Undefined where nothing is known. */
function textsOf(where: Where): readonly string[] | undefined {
  switch (where.kind) {
    case 'and':
      return where.parts.map(textsOf).find((texts) => texts !== undefined);
    case 'or':
      return allOf(where.parts.map(textsOf));
    case 'compare':
      return where.operator === 'eq' ? quoted([where.value]) : undefined;
    case 'in':
    case 'sole':
      return quoted(where.values);
    case 'element':
      return quoted([where.value]);
    case 'prefix':
      return isPlain(where.value) ? [`"${where.value}`] : undefined;
    case 'contains':
      return isPlain(where.value) ? [where.value] : undefined;
    default:
      return undefined;
  }
}

function allOf(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const known = lists.filter((texts) => texts !== undefined);
  return known.length === lists.length ? [...new Set(known.flat())] : undefined;
}

function quoted(values: readonly MemberValue[]): readonly string[] | undefined {
  return allOf(values.map((value) => (typeof value === 'string' && isPlain(value) ? [`"${value}"`] : undefined)));
}

/** Such a text is in JSON as it is, where its characters are not written as `\u`: a slash could have a backslash. */
function isPlain(text: string): boolean {
  return text.length > 0 && text.length <= 200 && !/["\\/\p{Cc}]/u.test(text);
}
