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
