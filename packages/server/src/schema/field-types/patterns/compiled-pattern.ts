import { RE2JS, RE2JSSyntaxException } from 're2js';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { cooperatively } from '../../../lib/scheduling/cooperatively.ts';
import { definitionLimits } from '../../definition.ts';
import { isObject } from '../../parsing/members.ts';

/** A regular expression of RE2, or what is wrong with it, as the end of a sentence. */
interface CompiledPattern {
  readonly result: RE2JS | string;
}

/**
 * Those that something still holds, by their text: a definition is read, and then made ready, with the same patterns. One
 * may take a megabyte, so none is held here.
 */
const compiled = new BoundedMap<string, WeakRef<CompiledPattern>>(10_000);
const ofDefinitions = new WeakMap<object, readonly CompiledPattern[]>();

const patternMax = 512;
const sizeMax = 200;

export function compiledPattern(pattern: string): CompiledPattern {
  const known = compiled.get(pattern)?.deref();
  if (known !== undefined) return known;
  const made: CompiledPattern = { result: compile(pattern) };
  compiled.set(pattern, new WeakRef(made));
  return made;
}

function compile(pattern: string): RE2JS | string {
  if (pattern.length > patternMax) return `has a \`pattern\` of more than ${patternMax} characters`;
  // Seen before it is compiled, which takes as long as it is large.
  if (leastSize(pattern) > sizeMax) return tooLarge;
  try {
    const made = RE2JS.compile(pattern);
    return made.programSize() > sizeMax ? tooLarge : made;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `has a \`pattern\` that is not a valid regular expression: ${error.message.replace('error parsing regexp: ', '')}`;
  }
}

const tooLarge = 'has a `pattern` that is too large: a repeated part counts once for each repetition';

/**
 * Compiles the patterns of a definition before it is read or compiled in one step; others are served in between.
 * They are held as long as the definition is.
 * @param definition anything: what is no definition is left to its reader.
 */
export async function compilePatterns(definition: unknown): Promise<void> {
  if (!isObject(definition) || !Array.isArray(definition.UpdateParams) || ofDefinitions.has(definition)) return;
  // A definition with more is refused, and no more of them are looked at.
  const fields: readonly unknown[] = definition.UpdateParams.slice(0, definitionLimits.fieldsMax);
  const made: CompiledPattern[] = [];
  for await (const pattern of cooperatively(fields.flatMap(patternsOf))) made.push(compiledPattern(pattern));
  ofDefinitions.set(definition, made);
}

function patternsOf(field: unknown): readonly string[] {
  if (!isObject(field)) return [];
  const { pattern, items } = field;
  return [pattern, isObject(items) ? items.pattern : undefined].filter((one) => typeof one === 'string');
}

/**
 * How many steps the compiled form of a regular expression of RE2 has at least, found without compiling it: what is
 * repeated stands there as often as that, and is made before anything can be said of its size.
 *
 * @param pattern any text; where it is no regular expression the number means nothing.
 */
export function leastSize(pattern: string): number {
  const groups: Group[] = [newGroup()];
  for (const [token] of pattern.matchAll(tokens)) {
    const group = groups.at(-1);
    if (group === undefined) return 0;
    if (token === ')') {
      groups.pop();
      const outer = groups.at(-1);
      if (outer !== undefined) add(outer, sizeOf(group), token);
    } else if (isGroupStart(token)) groups.push(newGroup());
    else enter(group, token);
  }
  return groups[0] === undefined ? 0 : sizeOf(groups[0]);
}

/** Flags that are set from there on begin none. */
function isGroupStart(token: string): boolean {
  return token.startsWith('(') && !token.endsWith(')');
}

function enter(group: Group, token: string): void {
  if (token.startsWith('(') || /^[*+?]$/.test(token)) return;
  if (token === '|') endBranch(group);
  else if (/^\{\d/.test(token)) repeat(group, timesOf(token));
  else if (token.startsWith('\\Q')) for (const character of quoted(token)) add(group, 1, character);
  else add(group, 1, token);
}

/** What is quoted, a class, an escape, the start of a group or flags, a count of repeats, or any other character. */
const tokens =
  /\\Q.*?(?:\\E|$)|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\\(?:[pPx]\{[^}]*\}|[pP][^{]|x[\dA-Fa-f]{2}|[0-7]{1,3}|.)|\(\?P?<\w+>|\(\?[A-Za-z-]*[:)]|\{\d+(?:,\d*)?\}|./gsu;

/** An open group, with the branch of it that is being read. */
interface Group {
  /** Branches that begin alike may have that in common, so of those the largest counts. */
  readonly branches: Map<string, number>;
  /** How the branch begins, where that is a letter or a digit. */
  start: string | undefined;
  branch: number;
  last: number;
}

function newGroup(): Group {
  return { branches: new Map(), start: undefined, branch: 0, last: 0 };
}

function add(group: Group, size: number, token: string): void {
  group.start ??= /^[A-Za-z0-9]$/.test(token) ? token.toLowerCase() : 'other';
  group.branch += size;
  group.last = size;
}

function repeat(group: Group, times: number): void {
  group.branch += group.last * (times - 1);
  group.last *= times;
}

const timesMax = 1000;

/** More than any count may be is not a regular expression: its parser reports that. */
function timesOf(token: string): number {
  const [least = '', most = least] = token.slice(1, -1).split(',');
  const times = most === '' ? Math.max(1, Number(least)) : Number(most);
  return times > timesMax ? 1 : times;
}

function quoted(token: string): string {
  return token.slice(2).replace(/\\E$/, '');
}

/** Branches of one step each become one. */
function endBranch(group: Group): void {
  const key = group.branch > 1 ? (group.start ?? '') : 'one';
  group.branches.set(key, Math.max(group.branch, group.branches.get(key) ?? 0));
  [group.start, group.branch, group.last] = [undefined, 0, 0];
}

function sizeOf(group: Group): number {
  endBranch(group);
  return group.branches.values().reduce((sum, size) => sum + size, 0);
}
