import { RE2JS, RE2JSSyntaxException } from 're2js';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { JsonSchema } from '../../../lib/json-schema.ts';
import { cooperatively } from '../../../lib/scheduling/event-loop.ts';
import { definitionLimits, type FieldDefinition, type FieldValue } from '../../definition.ts';
import { isObject } from '../../parsing/members.ts';
import type { ValueProblem } from '../field-type.ts';

/**
 * `pattern`, a regular expression in the syntax of RE2, which takes a time in proportion to the text whatever the
 * expression: its check and schema, or a sentence about what is wrong with it. As in JSON Schema it may match anywhere
 * in the value. Where the syntax of JSON Schema has no words for it, the schema leaves it out.
 */
export function patternHint(field: Pick<FieldDefinition, 'pattern' | 'validate'>): PatternHint | string {
  const { pattern } = field;
  if (pattern === undefined)
    return { check: () => undefined, steps: () => 0, schema: {}, charactersMax: Number.POSITIVE_INFINITY };
  const { result: compiled } = compiledPattern(pattern);
  if (typeof compiled === 'string') return compiled;
  const size = compiled.programSize();
  const check = (value: FieldValue): ValueProblem | undefined => {
    // Asked for a place, not only for whether there is one, the engine never builds an automaton of megabytes.
    if (typeof value !== 'string' || compiled.matcher(value).find()) return undefined;
    return { code: 'pattern_mismatch', message: `must match the pattern \`${pattern}\`` };
  };
  const translated = field.validate === true ? schemaPattern(pattern) : undefined;
  const schema = translated === undefined ? {} : { pattern: translated };
  const charactersMax = Math.floor(stepsMax / size);
  // A longer text is refused for its length, without a step.
  const steps = (value: FieldValue): number =>
    typeof value === 'string' && value.length <= 2 * charactersMax ? value.length * size : 0;
  return { check, steps, schema, charactersMax };
}

interface PatternHint {
  readonly check: (value: FieldValue) => ValueProblem | undefined;
  /** The number of steps that the check takes at most. */
  readonly steps: (value: FieldValue) => number;
  readonly schema: JsonSchema;
  /** Texts longer than this are not to be checked. */
  readonly charactersMax: number;
}

/** A text takes at most as many steps as it has characters, times the size of the compiled pattern. */
const stepsMax = 200_000;

/**
 * A regular expression of RE2 in the syntax of JSON Schema (ECMA-262 with the flag `u`), matching the same texts.
 * Undefined where it has a part that is not known to have the same meaning in that syntax.
 *
 * @param pattern a pattern that RE2 takes.
 */
export function schemaPattern(pattern: string): string | undefined {
  const translated: string[] = [];
  let wasAssertion = false;
  for (const [part] of pattern.matchAll(parts)) {
    // ECMA-262 has no repeated assertions.
    if (wasAssertion && /^(?:[*+?]|\{\d)/.test(part)) return undefined;
    wasAssertion = /^(?:[$^]|\\[bB])$/.test(part);
    const reported = wasAssertion ? part : ofPart(part);
    if (reported === undefined) return undefined;
    translated.push(reported);
  }
  return translated.join('');
}

/** A class of characters, an escape, the start of a group, a count of repeats, or any other character. */
const parts = /\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:[px]\{\w*\}|x\w\w|.)|\(\?(?:P?<\w+>|.)|\{\d+(?:,\d*)?\}|./gisu;
const members = /\\(?:[px]\{\w*\}|x\w\w|.)|./gisu;

/** White space is that of ASCII without U+000B, and a dot is anything but a line feed: ECMA-262 has more of both. */
const space = '\\t\\n\\f\\r ';
const notSpace = '\\0-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}';

function ofPart(part: string): string | undefined {
  if (part === '.') return '[^\\n]';
  if (part === '\\s') return `[${space}]`;
  if (part === '\\S') return `[^${space}]`;
  if (part.startsWith('[')) return ofClass(part);
  if (part.startsWith('\\')) return ofEscape(part) ?? ofPunctuation(part, /[$^\\.*+?()[\]{}|/]/);
  if (part.startsWith('(?')) return ofGroup(part);
  return /^[{}\]]$/.test(part) ? `\\${part}` : part;
}

function ofClass(text: string): string | undefined {
  const start = text.startsWith('[^') ? '[^' : '[';
  const inner = text.slice(start.length, -1);
  // A class named between colons, and what looks like a range that starts with a class, are left alone.
  if (/\[:|\\(?:[dsw]|p\{\w*\})-./is.test(inner)) return undefined;
  const translated = [...inner.matchAll(members)].map(([part]) => ofMember(part));
  return translated.includes(undefined) ? undefined : `${start}${translated.join('')}]`;
}

function ofMember(part: string): string | undefined {
  if (part === '\\s') return space;
  if (part === '\\S') return notSpace;
  if (part.startsWith('\\')) return ofEscape(part) ?? ofPunctuation(part, /[$^\\.*+?()[\]{}|/-]/);
  return part === '[' || part === ']' ? `\\${part}` : part;
}

function ofEscape(part: string): string | undefined {
  if (/^\\(?:[dDwWtnrfv]|x[\da-fA-F]{2}|[pP]\{[CLMNPSZ][a-z]?\})$/.test(part)) return part;
  const code = /^\\x\{([\da-fA-F]+)\}$/.exec(part)?.[1];
  return code === undefined ? undefined : `\\u{${code}}`;
}

/** RE2 lets any punctuation be escaped, ECMA-262 only what means something. */
function ofPunctuation(part: string, meaningful: RegExp): string | undefined {
  if (!/^\\[\W_]$/.test(part)) return undefined;
  return meaningful.test(part.slice(1)) ? part : part.slice(1);
}

/** Names do not matter, but flags change the meaning of what is in the group. */
function ofGroup(start: string): string | undefined {
  if (start === '(?:') return start;
  return start.endsWith('>') ? '(' : undefined;
}

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
 * The least number of steps that a regular expression of RE2 compiles to, found without compiling it: compiling would
 * make each copy of a repeated part before the size is known.
 *
 * @param pattern any text; where it is no regular expression the number means nothing.
 */
export function leastSize(pattern: string): number {
  const groups: PatternGroup[] = [newGroup()];
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

function enter(group: PatternGroup, token: string): void {
  if (token.startsWith('(') || /^[*+?]$/.test(token)) return;
  if (token === '|') endBranch(group);
  else if (/^\{\d/.test(token)) repeat(group, timesOf(token));
  else if (token.startsWith('\\Q')) for (const character of quoted(token)) add(group, 1, character);
  else add(group, 1, token);
}

/** A quoted text, a class, an escape, the start of a group or flags, a count of repeats, or any other character. */
const tokens =
  /\\Q.*?(?:\\E|$)|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\\(?:[pPx]\{[^}]*\}|[pP][^{]|x[\dA-Fa-f]{2}|[0-7]{1,3}|.)|\(\?P?<\w+>|\(\?[A-Za-z-]*[:)]|\{\d+(?:,\d*)?\}|./gsu;

/** An open group, with the branch of it that is being read. */
interface PatternGroup {
  /** Branches that begin alike may have that in common, so of those the largest counts. */
  readonly branches: Map<string, number>;
  /** The beginning of the branch, where that is a letter or a digit. */
  start: string | undefined;
  branch: number;
  last: number;
}

function newGroup(): PatternGroup {
  return { branches: new Map(), start: undefined, branch: 0, last: 0 };
}

function add(group: PatternGroup, size: number, token: string): void {
  group.start ??= /^[A-Za-z0-9]$/.test(token) ? token.toLowerCase() : 'other';
  group.branch += size;
  group.last = size;
}

function repeat(group: PatternGroup, times: number): void {
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
function endBranch(group: PatternGroup): void {
  const key = group.branch > 1 ? (group.start ?? '') : 'one';
  group.branches.set(key, Math.max(group.branch, group.branches.get(key) ?? 0));
  [group.start, group.branch, group.last] = [undefined, 0, 0];
}

function sizeOf(group: PatternGroup): number {
  endBranch(group);
  return group.branches.values().reduce((sum, size) => sum + size, 0);
}
