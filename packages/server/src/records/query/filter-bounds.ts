/** The filters of a list as trees over stored records. */
import type { Comparison, MemberPath, MemberType, MemberValue } from '../../lib/where.ts';
import { allOfBounds, atMost, exactly, notBounds, unknownBounds, type WhereBounds } from '../../lib/where-bounds.ts';
import { type CompiledEntity, type CompiledField, isLookupList, namedBehaviour } from '../../schema/port.ts';
import type { Filter } from '../listing/filter.ts';
import { storedMember } from './stored-member.ts';

export function filterBounds(entity: CompiledEntity, filter: Filter): WhereBounds {
  const path = storedMember(entity, filter.field);
  const encode = namedBehaviour(entity, filter.field)?.encode;
  if (path === undefined) return unknownBounds;
  if (encode === undefined) return elementBounds(entity, path, filter);
  const type = encodedType(encode);
  return type === undefined ? unknownBounds : orderedBounds(filter, { path, type });
}

interface Member {
  readonly path: MemberPath;
  readonly type: MemberType;
}

/** The type of the values that a field's filters compare. A value of another one is absent to them. */
function encodedType(encode: NonNullable<CompiledField['behaviour']['encode']>): MemberType | undefined {
  const types = samples.filter(([, sample]) => encode(sample) !== undefined).map(([type]) => type);
  return types.length === 1 ? types[0] : undefined;
}

const samples = [
  ['text', ''],
  ['number', 0],
  ['boolean', false],
] as const;

const comparisons: Readonly<Record<string, Comparison>> = { eq: 'eq', gt: 'gt', gte: 'gte', lt: 'lt', lte: 'lte' };

function orderedBounds({ operator, values }: Filter, member: Member): WhereBounds {
  const [first, last] = values as readonly MemberValue[];
  const exists = exactly({ kind: 'exists', ...member });
  const compare = (to: Comparison, value: MemberValue | undefined): WhereBounds =>
    value === undefined ? unknownBounds : exactly({ kind: 'compare', ...member, operator: to, value });
  switch (operator) {
    case 'exists':
      return first === true ? exists : notBounds(exists);
    case 'ne':
      return notBounds(compare('eq', first));
    case 'in':
      return exactly({ kind: 'in', ...member, values: values as readonly MemberValue[] });
    case 'between':
      return allOfBounds([compare('gte', first), compare('lte', last)]);
    case 'startswith':
    case 'contains':
      if (member.type !== 'text') return atMost(exists);
      return exactly({ kind: operator === 'contains' ? operator : 'prefix', path: member.path, value: String(first) });
    default:
      return compare(comparisons[operator] ?? 'eq', first);
  }
}

/** Of arrays, which have no order. */
function elementBounds(entity: CompiledEntity, path: MemberPath, { field, operator, values }: Filter): WhereBounds {
  const [wanted] = values;
  const type = elementType(wanted);
  if (operator === 'exists') {
    // No record holds `null` in place of a value.
    const present = exactly({ kind: 'present', path });
    return wanted === true ? present : notBounds(present);
  }
  if (operator !== 'contains' || type === undefined) return unknownBounds;
  const element = exactly({ kind: 'element', path, type, value: wanted as MemberValue });
  const definition = entity.fields.get(field)?.definition;
  // Of a list of lookups the first elements count alone.
  return definition !== undefined && isLookupList(definition) ? atMost(element) : element;
}

function elementType(value: unknown): MemberType | undefined {
  return samples.find(([, sample]) => typeof sample === typeof value)?.[0];
}
