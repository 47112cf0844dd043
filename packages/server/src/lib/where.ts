/**
 * A question about a stored record, which an engine answers where the record lies: a tree of comparisons. It knows the
 * members of a JSON object and neither policies nor filters, and it is a matter of two values: a comparison with a member
 * that is absent, or that holds a value of another type, is false, and `not` turns that around.
 */
import { compareBytes } from './byte-order.ts';

/** The names of members, from the outermost on. */
export type MemberPath = readonly string[];

/**
 * `number` is a double, `integer` a whole number that a double holds exactly. `date` is `YYYY-MM-DD`, `datetime` a time in
 * UTC with milliseconds, both as texts. A value of another type, or a text that is no such day or time, is absent.
 */
export type MemberType = 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';

export type MemberValue = string | number | boolean;

interface Member {
  readonly path: MemberPath;
  readonly type: MemberType;
}

/** Texts compare by their UTF-8 bytes, numbers as doubles, `false` comes before `true`. */
export type Comparison = 'eq' | 'lt' | 'lte' | 'gt' | 'gte';

export type Where =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Where[] }
  | { readonly kind: 'not'; readonly part: Where }
  | (Member & { readonly kind: 'compare'; readonly operator: Comparison; readonly value: MemberValue })
  | (Member & { readonly kind: 'in'; readonly values: readonly MemberValue[] })
  | (Member & { readonly kind: 'exists' })
  /** There is a value of any type; JSON `null` is none. */
  | { readonly kind: 'present'; readonly path: MemberPath }
  /** Of texts: how the text begins, or what is a part of it. */
  | { readonly kind: 'prefix' | 'contains'; readonly path: MemberPath; readonly value: string }
  /** An array has an element of the type and value. */
  | (Member & { readonly kind: 'element'; readonly value: MemberValue })
  /** The value is one of these, or an array of up to `soleElementsMax` elements, of which one alone is not null and is one of these. */
  | (Member & { readonly kind: 'sole'; readonly values: readonly MemberValue[] });

export const soleElementsMax = 100;

/** Holds of every record. */
export const always: Where = { kind: 'and', parts: [] };
/** Holds of none. */
export const never: Where = { kind: 'or', parts: [] };

export const whereLimits = { nodesMax: 500, depthMax: 32, valuesMax: 1_000, pathMax: 8 } as const;

/**
 * Names that every engine can be asked for. A maker of trees approximates what lies under others.
 */
const memberName = /^[A-Za-z_][A-Za-z0-9_@-]{0,127}$/;

export function isMemberPath(path: MemberPath): boolean {
  return path.length > 0 && path.length <= whereLimits.pathMax && path.every((name) => memberName.test(name));
}

/** A text with U+0000 or half a surrogate pair is in no store: the maker of a tree asks for it beside the engine. */
export function isMemberValue(value: MemberValue, type: MemberType): boolean {
  if (typedValue(value, type) === undefined) return false;
  return typeof value === 'string' ? value.isWellFormed() && !value.includes('\0') : Number.isFinite(Number(value));
}

/** @throws TypeError where an engine could not be asked. */
export function assertWhere(where: Where): void {
  let nodes = 0;
  const check = (node: Where, depth: number): void => {
    nodes += 1;
    if (nodes > whereLimits.nodesMax || depth > whereLimits.depthMax) throw new TypeError('a question is too long');
    switch (node.kind) {
      case 'and':
      case 'or':
        for (const part of node.parts) check(part, depth + 1);
        return;
      case 'not':
        check(node.part, depth + 1);
        return;
      case 'compare':
      case 'element':
        assertMember(node.path, isMemberValue(node.value, node.type));
        return;
      case 'in':
      case 'sole':
        nodes += Math.floor(node.values.length / 10);
        assertMember(
          node.path,
          node.values.length <= whereLimits.valuesMax && node.values.every((value) => isMemberValue(value, node.type)),
        );
        return;
      case 'prefix':
      case 'contains':
        assertMember(node.path, isMemberValue(node.value, 'text'));
        return;
      case 'exists':
      case 'present':
        assertMember(node.path, true);
    }
  };
  check(where, 0);
}

export function isWhere(where: Where): boolean {
  try {
    assertWhere(where);
    return true;
  } catch {
    return false;
  }
}

function assertMember(path: MemberPath, isAskable: boolean): void {
  if (!isMemberPath(path) || !isAskable) throw new TypeError('a question names what no engine can be asked for');
}

/** Whether a record meets a condition: the reference that every engine is held to. @param record parsed JSON. */
export function meetsWhere(where: Where, record: unknown): boolean {
  switch (where.kind) {
    case 'and':
      return where.parts.every((part) => meetsWhere(part, record));
    case 'or':
      return where.parts.some((part) => meetsWhere(part, record));
    case 'not':
      return !meetsWhere(where.part, record);
    case 'present':
      return (memberAt(record, where.path) ?? null) !== null;
    case 'exists':
      return typedValue(memberAt(record, where.path), where.type) !== undefined;
    case 'compare': {
      const value = typedValue(memberAt(record, where.path), where.type);
      return value !== undefined && holds(where.operator, compareValues(value, where.value));
    }
    case 'in':
      return isOneOf(where, memberAt(record, where.path));
    case 'sole': {
      const found = memberAt(record, where.path);
      if (!Array.isArray(found)) return isOneOf(where, found);
      const [only, ...others] = found.length > soleElementsMax ? [] : found.filter((one) => one !== null);
      return others.length === 0 && isOneOf(where, only);
    }
    case 'prefix':
    case 'contains': {
      const value = memberAt(record, where.path);
      if (typeof value !== 'string') return false;
      return where.kind === 'prefix' ? value.startsWith(where.value) : value.includes(where.value);
    }
    case 'element': {
      const values = memberAt(record, where.path);
      return Array.isArray(values) && values.some((one) => typedValue(one, where.type) === where.value);
    }
  }
}

function isOneOf({ type, values }: Where & { readonly kind: 'in' | 'sole' }, found: unknown): boolean {
  const value = typedValue(found, type);
  return value !== undefined && values.includes(value);
}

export function memberAt(record: unknown, path: MemberPath): unknown {
  let value = record;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Undefined where it is of another type. */
export function typedValue(value: unknown, type: MemberType): MemberValue | undefined {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'date':
      return typeof value === 'string' && dateForm.test(value) ? value : undefined;
    case 'datetime':
      return typeof value === 'string' && dateForm.test(value.slice(0, 10)) && timeForm.test(value.slice(10))
        ? value
        : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'integer':
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
  }
}

const dateForm =
  /^(?:[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$/;
/** Behind a day. A leap second is no time. */
const timeForm = /^T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$/;

/** Regular expressions, in the part of their language that JavaScript and PostgreSQL share. */
export const timeForms = {
  date: dateForm.source,
  datetime: `${dateForm.source.slice(0, -1)}${timeForm.source.slice(1)}`,
} as const;

/** Of two values of one type. */
export function compareValues(left: MemberValue, right: MemberValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareBytes(left, right);
  return Number(left) - Number(right);
}

function holds(operator: Comparison, order: number): boolean {
  switch (operator) {
    case 'eq':
      return order === 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
  }
}
