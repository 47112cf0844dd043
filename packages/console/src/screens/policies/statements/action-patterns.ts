/** The actions that policies are asked for, and which of them a pattern matches. */
import { systemEntityNames } from '@freehold/contract/system-entities';

/** What may be done to the records of an entity, each with what it lets a caller do. */
export const verbs = [
  ['get', 'read a record by its id'],
  ['list', 'list, search and export records'],
  ['count', 'count records'],
  ['create', 'make and import records'],
  ['update', 'change a record'],
  ['delete', 'remove a record'],
  ['browse', 'list records of others, where an owner index keeps lists to one’s own'],
] as const;

export type Verb = (typeof verbs)[number][0];

/** Actions on the workspace, about no record. */
export const workspaceActions = [
  'createinvitation',
  'listinvitation',
  'deleteinvitation',
  'updateworkspace',
  'deleteworkspace',
];

/** Every action that there is, for an org with these entities and logic blocks. */
export function actionsOf(entities: readonly string[], blocks: readonly string[]): readonly string[] {
  const names = [...new Set([...entities, ...systemEntityNames])];
  return [
    ...names.flatMap((name) => verbs.map(([verb]) => verb + name)),
    ...blocks.map((name) => `run${name}`),
    ...workspaceActions,
  ];
}

/** What is chosen for a statement. */
export interface Chosen {
  readonly verbs: readonly Verb[];
  readonly entities: readonly string[];
  /** Names of logic blocks to run; `*` for all of them. */
  readonly blocks: readonly string[];
}

/** The patterns of what is chosen. Where only logic blocks are chosen, nothing is said about entities. */
export function patternsOf({ verbs: chosen, entities, blocks }: Chosen): readonly string[] {
  const ofBlocks = blocks.includes('*') ? ['run*'] : blocks.map((name) => `run${name}`);
  const isOfBlocksAlone = blocks.length > 0 && chosen.length === 0 && entities.length === 0;
  return isOfBlocksAlone ? ofBlocks : [...patternsFor(chosen, entities), ...ofBlocks];
}

/** The patterns that say these verbs on these entities; no verb or no entity chosen means all of them. */
export function patternsFor(chosen: readonly Verb[], entities: readonly string[]): readonly string[] {
  const starts = chosen.length === 0 || chosen.length === verbs.length ? ['*'] : chosen;
  const ends = entities.length === 0 ? ['*'] : entities;
  return [...new Set(starts.flatMap((start) => ends.map((end) => (start + end).replace('**', '*'))))];
}

/** The entities that some of the patterns are about. */
export function entitiesIn(patterns: readonly string[], entities: readonly string[]): readonly string[] {
  const names = [...new Set([...entities, ...systemEntityNames])];
  return names.filter((name) => verbs.some(([verb]) => patterns.some((pattern) => matches(pattern, verb + name))));
}

/** Whether a pattern matches an action: `*` is any run of characters, `?` is one, and the case of A to Z does not count. */
export function matches(pattern: string, action: string): boolean {
  const wanted = pattern.toLowerCase();
  const text = action.toLowerCase();
  let [at, place, star, resume] = [0, 0, -1, 0];
  // Steps at most pattern × action: after a mismatch the last star takes one character more.
  while (at < text.length)
    if (place < wanted.length && wanted[place] !== '*' && (wanted[place] === '?' || wanted[place] === text[at])) {
      at++;
      place++;
    } else if (wanted[place] === '*') {
      star = place++;
      resume = at;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else return false;
  return /^\**$/.test(wanted.slice(place));
}
