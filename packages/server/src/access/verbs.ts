import { foldAscii } from '../lib/fold-ascii.ts';
import { type Effort, wholeEffort } from './effort.ts';
import { compileGlob, matchesGlob } from './patterns/glob.ts';

/**
 * The operations on the records of an entity. An action is a verb followed by the name of an entity. No verb begins
 * with another, so every action reads in one way only.
 */
export const verbs = ['get', 'list', 'count', 'create', 'update', 'delete', 'browse'] as const;

export type Verb = (typeof verbs)[number];

/** One letter of a pattern that can match the letter, and more of them that can match an entity's name. */
const letter = (one: string): string => `[${one}${one.toUpperCase()}?]`;
const more = '[A-Za-z0-9_*?]*';

/** A pattern of the beginning of a verb, of any length: the `*` behind it matches the others. */
const openingText = (verb: string): string => [...verb].reduceRight((rest, one) => `(?:${letter(one)}${rest})?`, '');

const patternVerbs = [...verbs, 'run'];

/** The action patterns that `mayMatchAction` holds of, as the source of a regular expression. */
export const actionPattern = `^(?:(?:${patternVerbs.map(openingText).join('|')})\\*${more}|(?:${patternVerbs
  .map((verb) => Array.from(verb, letter).join(''))
  .join('|')})[A-Za-z?]${more}|[rR][uU][nN][A-Za-z*?][A-Za-z0-9_*?-]*)$`;

/**
 * Whether an action pattern, in which no two `*` are adjacent, can match any action at all. A pattern that cannot is a
 * slip of the pen: a Deny with it would protect nothing. Logic blocks are run by `run` and their name, which may have a
 * `-`; a pattern with one has to spell that verb.
 */
export function mayMatchAction(pattern: string): boolean {
  if (/^run[a-z*?][a-z0-9_*?-]*$/i.test(pattern)) return true;
  return [...verbs, 'run'].some((verb) =>
    placesAfter(pattern, verb).some((place) => mayMatchEntityName(pattern.slice(place))),
  );
}

/** The positions in the pattern where a match can be once the verb is read. */
function placesAfter(pattern: string, verb: string): readonly number[] {
  let places = withStarSkipped(pattern, [0]);
  for (const letter of verb) {
    const next = places.flatMap((place) => step(pattern, place, letter));
    places = withStarSkipped(pattern, [...new Set(next)]);
  }
  return places;
}

function step(pattern: string, place: number, letter: string): readonly number[] {
  const symbol = pattern.charAt(place);
  if (symbol === '*') return [place];
  return symbol === '?' || symbol === letter || symbol === letter.toUpperCase() ? [place + 1] : [];
}

function withStarSkipped(pattern: string, places: readonly number[]): readonly number[] {
  return places.flatMap((place) => (pattern.charAt(place) === '*' ? [place, place + 1] : [place]));
}

function mayMatchEntityName(pattern: string): boolean {
  return /^[A-Za-z*?][A-Za-z0-9_*?]*$/.test(pattern);
}

interface ActionParts {
  readonly verb: Verb;
  readonly entityName: string;
}

/** An action taken apart, in lower case; undefined for what is no verb followed by a name. */
export function actionParts(action: string): ActionParts | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(action)) return undefined;
  const folded = action.toLowerCase();
  const verb = verbs.find((one) => folded.startsWith(one) && folded.length > one.length);
  return verb === undefined ? undefined : { verb, entityName: folded.slice(verb.length) };
}

/** The method and the path below the app for a verb. A verb about no single record needs no id. */
export function routeOfVerb(
  { verb, entityName }: ActionParts,
  id: string,
): { readonly method: string; readonly resource: string } {
  switch (verb) {
    case 'get':
      return { method: 'GET', resource: `/item/${entityName}/${id}` };
    case 'update':
      return { method: 'PUT', resource: `/update/${entityName}/${id}` };
    case 'delete':
      return { method: 'DELETE', resource: `/delete/${entityName}/${id}` };
    case 'create':
      return { method: 'POST', resource: `/create/${entityName}` };
    case 'count':
      return { method: 'GET', resource: `/count/${entityName}` };
    case 'list':
    case 'browse':
      return { method: 'GET', resource: `/list/${entityName}` };
  }
}

/** The action that the policies are asked for when a block runs. */
export function runAction({ name = '' }: Readonly<Record<string, string>>): string {
  return `run${name}`;
}

/** Whether an action pattern matches an action, which is in lower case. */
export function actionMatcher(pattern: string): (action: string, effort?: Effort) => boolean {
  const glob = compileGlob(foldAscii(pattern));
  return (action, effort = wholeEffort()) => matchesGlob(glob, action, effort);
}
