/** Trees about a condition that no tree need say exactly: what it implies, and what it is implied by. */
import { always, isMemberPath, isMemberValue, type MemberPath, never, type Where, whereLimits } from './where.ts';

export interface WhereBounds {
  /** Holds of every record of which the condition does. */
  readonly above: Where;
  /** Holds of no record of which the condition does not. */
  readonly below: Where;
}

/** Of a condition of which nothing is known. */
export const unknownBounds: WhereBounds = { above: always, below: never };

export function isExact({ above, below }: WhereBounds): boolean {
  return above === below;
}

/** Of a condition that holds exactly where one comparison does; nothing is known of it where no engine can be asked. */
export function exactly(where: Where): WhereBounds {
  return isAskable(where) ? { above: where, below: where } : unknownBounds;
}

/** Of a condition that never holds where another one does not. */
export function atMost({ above }: WhereBounds): WhereBounds {
  return { above, below: never };
}

export function allOfBounds(parts: readonly WhereBounds[]): WhereBounds {
  const above = joined('and', aboves(parts));
  if (parts.every(isExact) && isShort(above)) return { above, below: above };
  const below = joined('and', belows(parts));
  // A part that is left out only lets more through.
  return { above: joined('and', fitting(aboves(parts))), below: isShort(below) ? below : never };
}

export function anyOfBounds(parts: readonly WhereBounds[]): WhereBounds {
  return notBounds(allOfBounds(parts.map(notBounds)));
}

export function notBounds({ above, below }: WhereBounds): WhereBounds {
  if (above === below) {
    const not = negated(above);
    return isShort(not) ? { above: not, below: not } : unknownBounds;
  }
  const [notAbove, notBelow] = [negated(above), negated(below)];
  return { above: isShort(notBelow) ? notBelow : always, below: isShort(notAbove) ? notAbove : never };
}

function aboves(parts: readonly WhereBounds[]): readonly Where[] {
  return parts.map(({ above }) => above);
}

function belows(parts: readonly WhereBounds[]): readonly Where[] {
  return parts.map(({ below }) => below);
}

function joined(kind: 'and' | 'or', parts: readonly Where[]): Where {
  const flat = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]));
  const decided = flat.find((part) => (part.kind === 'and' || part.kind === 'or') && part.parts.length === 0);
  if (decided !== undefined) return decided;
  const [only, ...others] = flat;
  if (only !== undefined && others.length === 0) return only;
  return only === undefined ? (kind === 'and' ? always : never) : { kind, parts: flat };
}

/** `not` of `and` and `or` goes to their parts, so that trees stay flat. */
function negated(where: Where): Where {
  switch (where.kind) {
    case 'not':
      return where.part;
    case 'and':
    case 'or':
      return joined(where.kind === 'and' ? 'or' : 'and', where.parts.map(negated));
    default:
      return { kind: 'not', part: where };
  }
}

/** So many of them, from the first, that what joins them is short. */
function fitting(parts: readonly Where[]): readonly Where[] {
  const fit: Where[] = [];
  let nodes = 1;
  for (const part of parts) {
    const size = sizeOf(part);
    if (nodes + size.nodes > boundsMax.nodes || size.depth >= boundsMax.depth) continue;
    nodes += size.nodes;
    fit.push(part);
  }
  return fit;
}

/** So that an engine can be asked for what is between two bounds. */
const boundsMax = { nodes: Math.floor(whereLimits.nodesMax / 2) - 10, depth: whereLimits.depthMax - 4 } as const;

function isShort(where: Where): boolean {
  const { nodes, depth } = sizeOf(where);
  return nodes <= boundsMax.nodes && depth <= boundsMax.depth;
}

interface Size {
  readonly nodes: number;
  readonly depth: number;
}

const sizes = new WeakMap<Where, Size>();

function sizeOf(where: Where): Size {
  const known = sizes.get(where);
  if (known !== undefined) return known;
  const parts = where.kind === 'and' || where.kind === 'or' ? where.parts : where.kind === 'not' ? [where.part] : [];
  const values = where.kind === 'in' || where.kind === 'sole' ? where.values.length : 0;
  let nodes = 1 + Math.floor(values / 10);
  let depth = 0;
  for (const part of parts) {
    const size = sizeOf(part);
    nodes += size.nodes;
    depth = Math.max(depth, 1 + size.depth);
  }
  const size = { nodes, depth };
  sizes.set(where, size);
  return size;
}

function isAskable(where: Where): boolean {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.parts.every(isAskable) && isShort(where);
    case 'not':
      return isAskable(where.part) && isShort(where);
    case 'compare':
    case 'element':
      return isMemberPath(where.path) && isMemberValue(where.value, where.type);
    case 'in':
    case 'sole':
      return (
        isMemberPath(where.path) &&
        where.values.length <= whereLimits.valuesMax &&
        where.values.every((value) => isMemberValue(value, where.type))
      );
    case 'prefix':
    case 'contains':
      return isMemberPath(where.path) && isMemberValue(where.value, 'text');
    case 'exists':
    case 'present':
      return isMemberPath(where.path);
  }
}

/** The place of a field's value in stored records. */
export interface StoredMember {
  readonly path: MemberPath;
  /** No record has a value of another type there. */
  readonly isAlwaysText: boolean;
}

/** @param field as policies see records. Undefined where no engine can be asked about it. */
export type MemberFinder = (field: string) => StoredMember | undefined;
