/** One comparison of an expression as trees over stored records: it is false where the field has no value of its type. */
import type { FieldTest } from '../../expressions/port.ts';
import { type Comparison, type MemberPath, type MemberType, never, typedValue } from '../../lib/where.ts';
import {
  allOfBounds,
  anyOfBounds,
  atMost,
  exactly,
  notBounds,
  unknownBounds,
  type WhereBounds,
} from '../../lib/where-bounds.ts';
import { type ExpressionValue, readStored } from '../filtering/filter-language.ts';

/** A field as expressions read it. */
export interface ReadMember {
  readonly path: MemberPath;
  readonly type: MemberType;
  /** Its values are lists of the type. */
  readonly isList: boolean;
  readonly value: ExpressionValue;
}

export function readMember(value: ExpressionValue, path: MemberPath): ReadMember | undefined {
  const element = /^list<(.+)>$/.exec(value.type)?.[1];
  const type = memberType(element ?? value.type, value);
  return type === undefined ? undefined : { path, type, isList: element !== undefined, value };
}

function memberType(type: string, { write }: ExpressionValue): MemberType | undefined {
  switch (type) {
    case 'string':
      return 'text';
    case 'bool':
      return 'boolean';
    case 'int':
      return 'integer';
    case 'double':
      return 'number';
    case 'google.protobuf.Timestamp':
      return samples.find(([, sample]) => write?.(new Date(0)) === sample)?.[0];
    default:
      return undefined;
  }
}

const samples = [
  ['date', '1970-01-01'],
  ['datetime', '1970-01-01T00:00:00.000Z'],
] as const;

/** A record has no value there, or one whose size is that of the type. */
export function isOrdinary({ path, type }: ReadMember): WhereBounds {
  return anyOfBounds([notBounds(exactly({ kind: 'present', path })), exactly({ kind: 'exists', path, type })]);
}

/** @param constant undefined where it cannot be evaluated: nor can the comparison then. */
export function testBounds(member: ReadMember, operator: FieldTest['operator'], constant: unknown): WhereBounds {
  if (constant === undefined) return exactly(never);
  if (member.isList) return listBounds(member, operator, constant);
  switch (operator) {
    case 'has':
      return existsBounds(member);
    case 'in':
      return Array.isArray(constant)
        ? anyOfBounds(constant.map((one) => testBounds(member, '==', one)))
        : atMost(existsBounds(member));
    case '!=':
      return allOfBounds([existsBounds(member), notBounds(testBounds(member, '==', constant))]);
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return partBounds(member, operator, constant);
    case 'holds':
      return unknownBounds;
    default:
      return orderBounds(member, comparisons[operator], constant);
  }
}

const comparisons = { '==': 'eq', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const;

function existsBounds(member: ReadMember): WhereBounds {
  const { path, type } = member;
  if (type === 'number')
    return allOfBounds([numberBounds(member, 'gte', -numberMax), numberBounds(member, 'lte', numberMax)]);
  return exactly({ kind: 'exists', path, type });
}

/** Numbers beyond it are none to expressions. */
const numberMax = Number.MAX_SAFE_INTEGER;

function numberBounds({ path }: ReadMember, operator: Comparison, value: number): WhereBounds {
  return exactly({ kind: 'compare', path, type: 'number', operator, value });
}

function orderBounds(member: ReadMember, operator: Comparison, constant: unknown): WhereBounds {
  const { path, type } = member;
  if (constant instanceof Date) return timeBounds(member, operator, constant);
  const value = typeof constant === 'bigint' ? Number(constant) : constant;
  const isExact = typeof constant !== 'bigint' || Number.isSafeInteger(value);
  const typed = isExact ? typedValue(value, type) : undefined;
  if (typed === undefined) return atMost(existsBounds(member));
  const compared = exactly({ kind: 'compare', path, type, operator, value: typed });
  return type === 'number' ? allOfBounds([compared, existsBounds(member)]) : compared;
}

function timeBounds(member: ReadMember, operator: Comparison, constant: Date): WhereBounds {
  const { path, type, value } = member;
  const text = typedValue(value.write?.(constant), type);
  if (text === undefined) return atMost(existsBounds(member));
  const begin = readStored(value, text as string);
  const isWhole = begin instanceof Date && begin.getTime() === constant.getTime();
  if (!isWhole && operator === 'eq') return exactly(never);
  // A day begins before each other time that it has.
  const among = isWhole ? operator : (({ lt: 'lte', gte: 'gt' } as const)[operator as string] ?? operator);
  return exactly({ kind: 'compare', path, type, operator: among, value: text });
}

function partBounds({ path, type }: ReadMember, operator: FieldTest['operator'], constant: unknown): WhereBounds {
  if (type !== 'text' || typeof constant !== 'string') return unknownBounds;
  const kind = operator === 'startsWith' ? 'prefix' : 'contains';
  const part = exactly({ kind, path, value: constant });
  return operator === 'endsWith' ? atMost(part) : part;
}

/** Of lists that are long, what they take decides; so nothing that holds of them is sure. */
function listBounds({ path, type }: ReadMember, operator: FieldTest['operator'], constant: unknown): WhereBounds {
  const value = typedValue(typeof constant === 'bigint' ? Number(constant) : constant, type);
  if (operator === 'holds' && value !== undefined) return atMost(exactly({ kind: 'element', path, type, value }));
  return operator === 'has' ? atMost(exactly({ kind: 'present', path })) : unknownBounds;
}
