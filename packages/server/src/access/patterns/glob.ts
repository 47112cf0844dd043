import { type Effort, isSpent, spend } from '../effort.ts';
import { anyOne, anyRun, type GlobPart, matchesLong, partsOf, symbolsOf } from './glob-search.ts';

/**
 * A compiled pattern: `*` stands for any run of characters (none, `/` and line ends included), `?` for exactly one
 * code point, everything else for itself. A pattern matches the whole subject or not at all.
 *
 * No RegExp is built, since a backtracking one can be made to run for years by the text of a policy.
 */
export interface Glob {
  readonly pattern: string;
  readonly kind: 'any' | 'literal' | 'prefix' | 'suffix' | 'general';
  /** The text that a literal, prefix or suffix is compared with. */
  readonly text: string;
  /** For the general kind. */
  readonly symbols: readonly number[];
  /** Of UTF-16 units: a shorter subject is not matched. */
  readonly lengthMin: number;
}

export function compileGlob(pattern: string): Glob {
  return globOf(pattern, partsOf(pattern));
}

/** In `parts`, no two texts and no two `*` stand together. */
export function globOf(pattern: string, parts: readonly GlobPart[]): Glob {
  const [first, second] = parts;
  const symbols = symbolsOf(parts);
  const lengthMin = symbols.filter((symbol) => symbol !== anyRun).length;
  const make = (kind: Glob['kind'], text = ''): Glob => ({ pattern, kind, text, symbols, lengthMin });
  if (parts.length === 0) return make('literal');
  if (parts.length === 1 && first === anyRun) return make('any');
  if (parts.length === 1 && typeof first === 'string') return make('literal', first);
  if (parts.length === 2 && typeof first === 'string' && second === anyRun) return make('prefix', first);
  if (parts.length === 2 && first === anyRun && typeof second === 'string') return make('suffix', second);
  return make('general');
}

export function matchesGlob(glob: Glob, subject: string, effort: Effort): boolean {
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
      return subject.length >= glob.lengthMin && matchesSymbols(glob.symbols, subject, effort);
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

/** Up to so many steps it is quicker to try one place after the other than to prepare for a search. */
const stepsMax = 4096;

/** Whether the symbols, UTF-16 units and wildcards, match all of the subject. Means nothing once the effort is spent. */
export function matchesSymbols(symbols: readonly number[], subject: string, effort: Effort): boolean {
  if (isSpent(effort)) return false;
  return symbols.length * subject.length > stepsMax
    ? matchesLong(symbols, subject, effort)
    : matchesShort(symbols, subject, effort);
}

/**
 * Walks both texts once and, on a mismatch, goes back only to the latest `*`, to let it take one character more. An
 * earlier `*` never needs to give anything back: what the latest one can reach includes all that it could.
 * So the steps are at most pattern length times subject length.
 */
function matchesShort(symbols: readonly number[], subject: string, effort: Effort): boolean {
  let steps = 0;
  let place = 0;
  let position = 0;
  let afterStar = -1;
  let retryAt = 0;
  while (position < subject.length) {
    steps += 1;
    const symbol = symbols[place];
    if (symbol === anyRun) {
      place += 1;
      afterStar = place;
      retryAt = position;
    } else if (symbol === anyOne) {
      place += 1;
      position += codePointWidth(subject, position);
    } else if (symbol === subject.charCodeAt(position)) {
      place += 1;
      position += 1;
    } else if (afterStar === -1) {
      break;
    } else {
      retryAt += codePointWidth(subject, retryAt);
      place = afterStar;
      position = retryAt;
    }
  }
  spend(effort, steps);
  if (position < subject.length) return false;
  while (symbols[place] === anyRun) place += 1;
  return place === symbols.length;
}

function codePointWidth(subject: string, position: number): 1 | 2 {
  if ((subject.charCodeAt(position) & 0xfc00) !== 0xd800) return 1;
  return (subject.charCodeAt(position + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}
