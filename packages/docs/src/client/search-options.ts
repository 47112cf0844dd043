import type { Options } from 'minisearch';

/** A place that a search leads to. Its id is its address from the root of the site. */
export interface Found {
  readonly id: string;
  readonly title: string;
  readonly heading: string;
}

/** Words of three letters or more; the text of a place is searched and not kept. */
export const searchOptions: Options = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading'],
  processTerm: (term) => (term.length < 2 ? null : term.toLowerCase()),
  searchOptions: {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 4, heading: 3 },
    combineWith: 'AND',
  },
};
