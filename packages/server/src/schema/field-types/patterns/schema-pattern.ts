import type { JsonSchema } from '../../../lib/json-schema.ts';
import type { FieldDefinition } from '../../definition.ts';
import type { FieldValue, ValueProblem } from '../field-type.ts';
import { compiledPattern } from './compiled-pattern.ts';

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
  /** How many steps the check takes at most. */
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
 * @param pattern one that RE2 takes.
 */
export function schemaPattern(pattern: string): string | undefined {
  const translated: string[] = [];
  let wasAssertion = false;
  for (const [part] of pattern.matchAll(parts)) {
    // ECMA-262 has no repeated assertions.
    if (wasAssertion && /^(?:[*+?]|\{\d)/.test(part)) return undefined;
    wasAssertion = /^(?:[$^]|\\[bB])$/.test(part);
    const said = wasAssertion ? part : ofPart(part);
    if (said === undefined) return undefined;
    translated.push(said);
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
