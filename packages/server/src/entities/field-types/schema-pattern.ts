/**
 * A regular expression of RE2 in the syntax of JSON Schema (ECMA-262 with the flag `u`), matching the same texts.
 * Undefined where that syntax has no words for a part of it.
 */
export function schemaPattern(pattern: string): string | undefined {
  const translated: string[] = [];
  for (const [part] of pattern.matchAll(/\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\(\?.?|./gsu)) {
    const said = part.startsWith('[') ? ofClass(part) : part.startsWith('(?') ? ofGroup(part) : outsideOfClass(part);
    if (said === undefined) return undefined;
    translated.push(said);
  }
  const text = translated.join('');
  return isExpression(text) ? text : undefined;
}

/** White space is that of ASCII without U+000B, and a dot is anything but a line feed: ECMA-262 has more of both. */
const space = '\\t\\n\\f\\r ';
const notSpace = '\\0-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}';

function outsideOfClass(part: string): string {
  if (part === '.') return '[^\\n]';
  if (part === '\\s') return `[${space}]`;
  if (part === '\\S') return `[^${space}]`;
  return part.startsWith('\\') && !/^\\[a-zA-Z\d^$\\.*+?()[\]{}|/]/.test(part) ? part.slice(1) : part;
}

/** A class named between colons has no translation, and white space none where it looks like the start of a range. */
function ofClass(text: string): string | undefined {
  const start = text.startsWith('[^') ? '[^' : '[';
  const members = text.slice(start.length, -1);
  if (/\[:|\\s-./is.test(members)) return undefined;
  const said = members.replace(/\\.|[[\]]/gsu, (part) => {
    if (part === '\\s') return space;
    if (part === '\\S') return notSpace;
    if (!part.startsWith('\\')) return `\\${part}`;
    return /^\\[a-zA-Z\d^$\\.*+?()[\]{}|/-]/.test(part) ? part : part.slice(1);
  });
  return `${start}${said}]`;
}

/** Groups that set flags change the meaning of what is in them. */
function ofGroup(start: string): string | undefined {
  return start === '(?:' || start === '(?<' ? start : undefined;
}

function isExpression(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
