import { type FrameFiles, pageHtml } from './layout.ts';
import { markdownPage, type Source } from './markdown.ts';
import type { Page, PageGroup } from './page.ts';
import { type Gateway, gatewayPages, problemsPage, referenceIndex } from './reference.ts';

export interface SourceGroup {
  readonly title: string;
  readonly sources: readonly Source[];
  readonly isListed?: false;
}

/** Every page of the site under the titles of the sidebar, in the order in which they are read. */
export function siteGroups(groups: readonly SourceGroup[], gateways: readonly Gateway[]): readonly PageGroup[] {
  const paths = new Map(groups.flatMap(({ sources }) => sources.map(({ file, path }) => [file, path] as const)));
  const withPages = gateways.map((gateway) => ({ ...gateway, pages: gatewayPages(gateway) }));
  return [
    ...groups
      .filter(({ isListed }) => isListed !== false)
      .map(({ title, sources }) => ({ title, pages: sources.map((source) => markdownPage(source, paths)) })),
    { title: 'API reference', pages: [referenceIndex(withPages), problemsPage()] },
    ...withPages.map(({ title, pages }) => ({ title, pages })),
    ...groups
      .filter(({ isListed }) => isListed === false)
      .map(({ title, sources }) => ({
        title,
        pages: sources.map((source) => markdownPage(source, paths)),
        isListed: false as const,
      })),
  ];
}

/** The files of all pages, by their paths. */
export function siteFiles(groups: readonly PageGroup[], files: FrameFiles): ReadonlyMap<string, string> {
  const pages: readonly Page[] = groups.flatMap((group) => group.pages);
  return new Map(pages.map((page) => [page.path, pageHtml({ page, groups, files })]));
}
