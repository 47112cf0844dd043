import { AlikeMembers } from './context-value.ts';
import { foldAscii } from './glob.ts';

/** A name by which to go on from an object to what is in it. */
export interface Step {
  readonly name: string;
  readonly folded: string;
  /** The name alone, where a member that is called exactly so goes before those that are called so but for case. */
  readonly first: readonly [name: string] | undefined;
}

/** Where the path leads, by the names as the objects have them. */
export interface Place {
  readonly names: readonly string[];
  readonly value: unknown;
}

/**
 * Steps that take every member whose name is alike but for ASCII case: whoever writes an object may put a decoy beside
 * what he hides, in either spelling.
 * @param isFirstGiven the names of the first object are not given by whoever writes it, so that it cannot hold decoys.
 */
export function stepsOf(
  path: readonly string[],
  { isFirstGiven }: { readonly isFirstGiven: boolean },
): readonly Step[] {
  return path.map((name, index) => ({
    name,
    folded: foldAscii(name),
    first: isFirstGiven && index === 0 ? [name] : undefined,
  }));
}

/** What the path leads to: `undefined` where it ends before. */
export function readPath(start: unknown, steps: readonly Step[]): unknown {
  let value = start;
  for (const step of steps) {
    const names = namesAlike(value, step);
    if (names.length > 1) return new AlikeMembers(placesOf(start, steps).map((place) => place.value));
    value = names[0] === undefined ? undefined : memberOf(value, names[0]);
  }
  return value;
}

/**
 * Every place that the path leads to, also where nothing is: whoever reads the object may have gone that way. They are no
 * more than the members of the object.
 */
export function placesOf(start: unknown, steps: readonly Step[]): readonly Place[] {
  let places: readonly Place[] = [{ names: [], value: start }];
  for (const step of steps) {
    places = places.flatMap(({ names, value }) => {
      const alike = namesAlike(value, step);
      if (alike.length === 0) return [{ names: [...names, step.name], value: undefined }];
      return alike.map((name) => ({ names: [...names, name], value: memberOf(value, name) }));
    });
  }
  return places;
}

export function isAlike(name: string, folded: string): boolean {
  return name.length === folded.length && (name === folded || foldAscii(name) === folded);
}

const none: readonly string[] = [];

function namesAlike(value: unknown, { folded, first }: Step): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return none;
  if (first !== undefined && Object.hasOwn(value, first[0])) return first;
  return Object.keys(value).filter((name) => isAlike(name, folded));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
