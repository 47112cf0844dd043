import type { Options } from 'minisearch';

/** A place that a search leads to. Its id is its address from the root of the site. */
export interface Found {
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
