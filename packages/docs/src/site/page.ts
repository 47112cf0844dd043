/** A page of the site, before it has a frame. */
export interface Page {
  /** From the root of the site: `guides/access.html`. It stays once it is out. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** What the search finds: the text before the first heading, and that of each heading. */
  readonly sections: readonly Section[];
}

export interface Heading {
  readonly depth: 2 | 3;
  readonly id: string;
  readonly text: string;
}

export interface Section {
  /** The anchor; empty for the beginning of the page. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

/** Pages under one title of the sidebar. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly Page[];
  /** Where the sidebar names the first page alone, which lists the others. */
  readonly isListed?: false;
}

/** The way from one page to another or to a file, for any place that the site lies at. */
export function relativePath(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1);
  return `${up}${to}`;
}
