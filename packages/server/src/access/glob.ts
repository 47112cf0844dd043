/**
 * A compiled pattern: `*` stands for any run of characters (none, `/` and line ends included), `?` for exactly one
 * code point, everything else for itself. A pattern matches the whole subject or not at all.
 *
 * No RegExp is built, since a backtracking one can be made to run for years by the text of a policy.
 */
export interface Glob {
  readonly pattern: string;
  readonly kind: 'any' | 'literal' | 'prefix' | 'suffix' | 'general';
  /** What a literal, prefix or suffix is compared with; for the general kind, the pattern. */
  readonly text: string;
}

export function compileGlob(pattern: string): Glob {
  const text = collapseStars(pattern);
  if (text === '*') return { pattern, kind: 'any', text };
  const star = text.indexOf('*');
  if (text.includes('?') || star !== text.lastIndexOf('*')) return { pattern, kind: 'general', text };
  if (star === -1) return { pattern, kind: 'literal', text };
  if (star === text.length - 1) return { pattern, kind: 'prefix', text: text.slice(0, -1) };
  if (star === 0) return { pattern, kind: 'suffix', text: text.slice(1) };
  return { pattern, kind: 'general', text };
}

export function matchesGlob(glob: Glob, subject: string): boolean {
  switch (glob.kind) {
    case 'any':
      return true;
    case 'literal':
      return subject === glob.text;
    case 'prefix':
      return subject.startsWith(glob.text);
    case 'suffix':
      return subject.endsWith(glob.text);
    case 'general':
      return matchesGeneral(glob.text, subject);
  }
}

/** Several `*` in a row say no more than one. */
export function collapseStars(pattern: string): string {
  if (!pattern.includes('**')) return pattern;
  return pattern
    .split('*')
    .filter((part, index, parts) => part !== '' || index === 0 || index === parts.length - 1)
    .join('*');
}

/**
 * Lower-cases A to Z and nothing else: patterns and subjects that are both folded match without regard to ASCII case.
 * `toLowerCase` would also turn the Kelvin sign U+212A into `k`, and a name that looks like another into that other.
 */
export function foldAscii(text: string): string {
  let folded = '';
  let kept = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x41 || unit > 0x5a) continue;
    folded += text.slice(kept, index) + String.fromCharCode(unit + 0x20);
    kept = index + 1;
  }
  return kept === 0 ? text : folded + text.slice(kept);
}

const asterisk = 0x2a;
const questionMark = 0x3f;

/**
 * Walks both texts once and, on a mismatch, goes back only to the latest `*`, to let it take one character more. An
 * earlier `*` never needs to give anything back: what the latest one can reach includes all that it could.
 * So the steps are at most pattern length times subject length.
 */
function matchesGeneral(pattern: string, subject: string): boolean {
  let place = 0;
  let position = 0;
  let afterStar = -1;
  let retryAt = 0;
  while (position < subject.length) {
    const symbol = place < pattern.length ? pattern.charCodeAt(place) : -1;
    if (symbol === asterisk) {
      place += 1;
      afterStar = place;
      retryAt = position;
    } else if (symbol === questionMark) {
      place += 1;
      position += codePointWidth(subject, position);
    } else if (symbol === subject.charCodeAt(position)) {
      place += 1;
      position += 1;
    } else if (afterStar === -1) {
      return false;
    } else {
      retryAt += codePointWidth(subject, retryAt);
      place = afterStar;
      position = retryAt;
    }
  }
  if (place < pattern.length && pattern.charCodeAt(place) === asterisk) place += 1;
  return place === pattern.length;
}

function codePointWidth(subject: string, position: number): 1 | 2 {
  if ((subject.charCodeAt(position) & 0xfc00) !== 0xd800) return 1;
  return (subject.charCodeAt(position + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}
