import { foldAscii } from '../../lib/fold-ascii.ts';
import { type Effort, isSpent, spend } from '../effort.ts';
import { bodyMembers, type FieldNaming, namesAround, presentName, recordMembers } from './context.ts';

/** The values of a key that leads to several members: their names differ in ASCII case alone. */
export class AlikeMembers {
  /** The content of each of them: nothing, one value or a list. */
  readonly contents: readonly unknown[];

  constructor(contents: readonly unknown[]) {
    this.contents = contents;
  }
}

/** For a key whose value could not be read: it may be any, or none. */
class UnknownValue {}

export const unknownValue = new UnknownValue();

/** A part of a text that is looked for. It is no value of a field, so that operators of numbers, times and so on cannot read it. */
export class TextPart {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The values of something found in a context: a list's elements, else itself. What is null is not there. */
export function valuesOf(found: unknown): readonly unknown[] {
  if (found instanceof AlikeMembers) return found.contents.flatMap(valuesOf);
  if (Array.isArray(found)) return found.some(isMissing) ? found.filter((value) => !isMissing(value)) : found;
  return isMissing(found) ? [] : [found];
}

/** To go through the values of something found, in steps. */
export function stepsThrough(found: unknown): number {
  if (typeof found !== 'object') return stepsOfValue;
  if (found instanceof AlikeMembers) return found.contents.reduce((sum: number, one) => sum + stepsThrough(one), 0);
  return Array.isArray(found) ? found.length * stepsOfValue : stepsOfValue;
}

const stepsOfValue = 8;

/** The text by which String operators and variables know a value. An object has none, nor has a list within a list. */
export function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      if (value instanceof TextPart) return value.text;
      return value instanceof Date ? value.toISOString() : undefined;
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A name by which to go on from an object to what is in it. */
interface PathStep {
  readonly name: string;
  readonly folded: string;
  /** The name alone, where a member that is called exactly so goes before those that are called so but for case. */
  readonly first: readonly [name: string] | undefined;
}

/** The end of the path, by the names as the objects have them. */
interface MemberPosition {
  readonly names: readonly string[];
  readonly value: unknown;
}

/**
 * Steps that take every member whose name is alike but for ASCII case: the author of an object may add a decoy member
 * in another spelling.
 * @param isFirstGiven the names in the first object are not chosen by its author, so it cannot hold decoys.
 */
export function stepsOf(
  path: readonly string[],
  { isFirstGiven }: { readonly isFirstGiven: boolean },
): readonly PathStep[] {
  return path.map((name, index) => ({
    name,
    folded: foldAscii(name),
    first: isFirstGiven && index === 0 ? [name] : undefined,
  }));
}

/**
 * The value at the end of the path: `undefined` where it ends before. Means nothing once the effort is spent.
 * @param naming where the members of the start are fields: how these are called.
 */
export function readPath(start: unknown, steps: readonly PathStep[], effort: Effort, naming?: FieldNaming): unknown {
  let value = start;
  let depth = 0;
  for (const step of steps) {
    const names = namesAlike(value, step, effort, depth === 0 ? naming : undefined);
    if (names.length > 1) {
      const places = placesOf(value, steps.slice(depth), effort, depth === 0 ? naming : undefined);
      return new AlikeMembers(places.map((place) => place.value));
    }
    if (names[0] === undefined) return undefined;
    value = memberOf(value, names[0]);
    depth += 1;
  }
  return value;
}

/**
 * Every place that the path leads to, also where nothing is: a reader of the object may use that path. They are no more
 * than the members of the object.
 */
export function placesOf(
  start: unknown,
  steps: readonly PathStep[],
  effort: Effort,
  naming?: FieldNaming,
): readonly MemberPosition[] {
  let places: readonly MemberPosition[] = [{ names: noNames, value: start }];
  for (const [depth, step] of steps.entries()) {
    // Each place has the names that lead to it.
    if (!spend(effort, places.length * (depth + 1) * stepsOfName)) return places;
    places = places.flatMap(({ names, value }) => {
      const alike = namesAlike(value, step, effort, depth === 0 ? naming : undefined);
      if (alike.length === 0) return [{ names: [...names, step.name], value: undefined }];
      return alike.map((name) => ({ names: [...names, name], value: ownMemberOf(value, name) }));
    });
  }
  return places;
}

export function isAlike(name: string, folded: string): boolean {
  return name.length === folded.length && (name === folded || foldAscii(name) === folded);
}

const noNames: readonly string[] = [];
const stepsOfName = 32;

function namesAlike(
  value: unknown,
  { folded, first }: PathStep,
  effort: Effort,
  naming: FieldNaming | undefined,
): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return noNames;
  if (first !== undefined && naming === undefined && Object.hasOwn(value, first[0])) return first;
  if (first !== undefined && naming !== undefined) {
    const present = presentName(naming, first[0]);
    if (Object.hasOwn(value, present)) return [present];
  }
  if (isSpent(effort)) return noNames;
  const names = Object.keys(value);
  if (!spend(effort, (names.length + namesAround(naming, folded)) * stepsOfName)) return noNames;
  if (naming === undefined) return names.filter((name) => isAlike(name, folded));
  return first === undefined ? bodyMembers(naming, names, folded) : recordMembers(naming, names, first[0]);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Of a field that may be absent from the record. */
function ownMemberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? memberOf(value, name) : undefined;
}
