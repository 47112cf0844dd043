import MiniSearch from 'minisearch';
import { type MatchedPage, searchOptions } from '../client/search-options.ts';
import type { Page } from './page.ts';

/** The index of the search as JSON: a document for each heading. */
export function searchIndexText(pages: readonly Page[]): string {
  const index = new MiniSearch<MatchedPage & { readonly text: string }>(searchOptions);
  index.addAll(
    pages.flatMap(({ path, title, sections }) =>
      sections
        .filter(({ heading, text }) => heading !== '' || text !== '')
        .map(({ id, heading, text }) => ({
          id: id === '' ? path : `${path}#${id}`,
          title,
          heading,
          text,
        })),
    ),
  );
  return JSON.stringify(index);
}
