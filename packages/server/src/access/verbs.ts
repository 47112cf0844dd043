/**
 * What may be done to the records of an entity. An action is a verb followed by the name of an entity. No verb begins
 * with another, so every action reads in one way only.
 */
export const verbs = ['get', 'list', 'count', 'create', 'update', 'delete', 'browse'] as const;

export type Verb = (typeof verbs)[number];

/** One letter of a pattern that can match the letter, and more of them that can match an entity's name. */
const letter = (one: string): string => `[${one}${one.toUpperCase()}?]`;
const more = '[A-Za-z0-9_*?]*';

/** What can match the beginning of a verb, of any length: the `*` behind it matches the others. */
const beginning = (verb: string): string => [...verb].reduceRight((rest, one) => `(?:${letter(one)}${rest})?`, '');

const patternVerbs = [...verbs, 'run'];

/**
 * The action patterns that can match any action at all, as the source of a regular expression. One that cannot is a slip
 * of the pen: a Deny with it would protect nothing. Logic blocks are run by `run` and their name, in which a `-` may
 * stand; a pattern with one has to spell that verb.
 */
export const actionPattern = `^(?:(?:${patternVerbs.map(beginning).join('|')})\\*${more}|(?:${patternVerbs
  .map((verb) => Array.from(verb, letter).join(''))
  .join('|')})[A-Za-z?]${more}|[rR][uU][nN][A-Za-z*?][A-Za-z0-9_*?-]*)$`;

const mayMatch = new RegExp(actionPattern);

/** Whether an action pattern can match an action. */
export function mayMatchAction(pattern: string): boolean {
  return mayMatch.test(pattern);
}
