import { wordsOf } from './words.ts';

/** What `q` asks for: all of these words, and one that begins with `prefix`. */
export interface SearchQuery {
  readonly words: readonly string[];
  readonly prefix: string;
}

/** That a record has the words that are looked for. */
export interface SearchTest {
  readonly query: SearchQuery;
  readonly fields: readonly string[];
}

const searchWordsMax = 10;

/** The parameter `q`, or what is wrong with it, as the end of the sentence "`q` …". The last word may be unfinished. */
export function readSearch(q: string): SearchQuery | string {
  const words = wordsOf(q);
  const prefix = words.at(-1);
  if (prefix === undefined) return 'needs at least one word';
  if (words.length > searchWordsMax) return `takes at most ${searchWordsMax} words`;
  return { words: [...new Set(words.slice(0, -1))], prefix };
}

/** @param terms the `searchTerms` of a record. */
export function matchesSearch(query: SearchQuery, terms: readonly string[]): boolean {
  return query.words.every((word) => terms.includes(word)) && terms.some((term) => term.startsWith(query.prefix));
}
