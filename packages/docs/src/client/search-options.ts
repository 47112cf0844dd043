import MiniSearch, { type Options, type SearchResult } from 'minisearch';

/** A place that a search leads to. Its id is its address from the root of the site. */
export interface MatchedPage {
  readonly id: string;
  readonly title: string;
  readonly heading: string;
}

/** They are on nearly every page. Words that are operators of filters and conditions too, such as `or`, are not among them. */
const fillWords: ReadonlySet<string> = new Set(
  'also an are as at be by each for from has have into is it its of on such than that the their them then there these they this to was were which whose with'.split(
    ' ',
  ),
);

/** Words of two letters or more; the text of a place is searched and not kept. */
export const searchOptions: Options = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading'],
  processTerm: (term) => {
    const word = term.toLowerCase();
    return word.length < 2 || fillWords.has(word) ? null : word;
  },
  searchOptions: {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 4, heading: 3 },
    combineWith: 'AND',
  },
};

/** Places that have all the words, and behind them pages whose places have them together. The best come first. */
export function searched(index: MiniSearch<MatchedPage>, words: string): readonly MatchedPage[] {
  const places = index.search(words).map(foundOf);
  const listed = new Set(places.map(({ id }) => pageOf(id)));
  const pages = Map.groupBy(index.search(words, { combineWith: 'OR', fuzzy: false }), ({ id }) => pageOf(String(id)));
  const terms = termsOf(words);
  const together = [...pages].filter(([page, results]) => !listed.has(page) && hasAll(results, terms));
  return [...places, ...together.map(([id, [first]]) => ({ id, title: String(first?.title), heading: '' }))];
}

function foundOf({ id, title, heading }: SearchResult): MatchedPage {
  return { id: String(id), title: String(title), heading: String(heading) };
}

function pageOf(id: string): string {
  return id.split('#')[0] ?? id;
}

function hasAll(results: readonly SearchResult[], terms: readonly string[]): boolean {
  return terms.every((term) => results.some(({ queryTerms }) => queryTerms.includes(term)));
}

function termsOf(words: string): readonly string[] {
  const tokens = MiniSearch.getDefault('tokenize')(words);
  return tokens.flatMap((token: string) => searchOptions.processTerm?.(token) || []);
}
