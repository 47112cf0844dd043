import { escaped, htmlOf } from '../render/html.ts';
import { type Child, h } from '../render/tree.ts';
import { type Page, type PageGroup, relativePath } from './page.ts';

/** Where the files of the frame lie: a build names them by their contents. */
export interface FrameFiles {
  readonly style: string;
  /** Sets the chosen colours before anything is drawn. */
  readonly theme: string;
  readonly script: string;
  readonly searchIndex: string;
  readonly icon: string;
}

interface Framed {
  readonly page: Page;
  readonly groups: readonly PageGroup[];
  readonly files: FrameFiles;
}

/**
 * What a page may do: run and load files of its own origin. A server adds that no other page may show the page in a
 * frame, which only a header can say.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export function pageHtml(framed: Framed): string {
  const { page, files } = framed;
  const to = (path: string) => escaped(relativePath(page.path, path));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(pagePolicy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · Freehold</title>
<link rel="icon" href="${to(files.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${to(files.style)}">
<script src="${to(files.theme)}"></script>
<script type="module" src="${to(files.script)}"></script>
</head>
<body>
${htmlOf(...header(framed))}
<div class="columns">
${htmlOf(sidebar(framed))}
<main id="content" tabindex="-1">
<article>
${page.html}
</article>
${htmlOf(...neighbours(framed))}
</main>
${htmlOf(...contents(page))}
</div>
</body>
</html>
`;
}

/**
 * The page about the API of an app, at `/app/{org}/docs`. It is the same for every app, and for codes that no org has; the
 * files of the docs lie at `/docs` of the same gateway.
 */
export function appPageHtml(files: FrameFiles & { readonly appScript: string }): string {
  const to = (path: string) => escaped(`../../docs/${path}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>The API of this app · Freehold</title>
<link rel="icon" href="${to(files.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${to(files.style)}">
<script src="${to(files.theme)}"></script>
<script type="module" src="${to(files.appScript)}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button class="narrow" type="button" popovertarget="pages">Groups</button>
<span class="brand"><img src="${to(files.icon)}" alt="" width="22" height="22">Freehold</span>
<button class="theme" type="button" hidden>Dark</button>
</header>
<div class="columns">
<nav id="pages" class="pages" popover aria-label="Groups of routes"></nav>
<main id="content" tabindex="-1"><article><noscript><p>This page needs JavaScript. The document is at <code>openapi.json</code> beside it.</p></noscript></article></main>
</div>
</body>
</html>
`;
}

function header({ page, files }: Framed): readonly Child[] {
  const to = (path: string) => relativePath(page.path, path);
  return [
    h('a', { class: 'skip', href: '#content' }, 'Skip to the content'),
    h(
      'header',
      {},
      h('button', { class: 'narrow', type: 'button', popovertarget: 'pages' }, 'Pages'),
      h(
        'a',
        { class: 'brand', href: to('index.html') },
        h('img', { src: to(files.icon), alt: '', width: '22', height: '22' }),
        'Freehold',
      ),
      h('div', { class: 'search', 'data-index': to(files.searchIndex), 'data-root': to('') }),
      h('button', { class: 'theme', type: 'button', hidden: '' }, 'Dark'),
    ),
  ];
}

function sidebar({ page, groups }: Framed): Child {
  return h(
    'nav',
    { id: 'pages', class: 'pages', popover: '', 'aria-label': 'Pages' },
    ...groups.map(({ title, pages, isListed }) => {
      const isHere = pages.includes(page);
      const shown = isListed === false ? pages.filter((one, index) => index === 0 || one === page) : pages;
      return h(
        'details',
        isHere || pages.length < groupShown ? { open: '' } : {},
        h('summary', {}, title),
        h('ul', {}, ...shown.map((one) => h('li', {}, pageLink(page, one)))),
      );
    }),
  );
}

/** Groups with fewer pages are open on every page. */
const groupShown = 16;

function pageLink(from: Page, to: Page): Child {
  const here = from === to ? { 'aria-current': 'page' } : {};
  return h('a', { href: relativePath(from.path, to.path), ...here }, to.title);
}

function neighbours({ page, groups }: Framed): readonly Child[] {
  const pages = groups.flatMap((group) => group.pages);
  const at = pages.indexOf(page);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  const link = (to: Page | undefined, rel: 'prev' | 'next', word: string): readonly Child[] =>
    to === undefined
      ? []
      : [h('a', { rel, href: relativePath(page.path, to.path) }, h('span', {}, word), ' ', to.title)];
  return [
    h(
      'nav',
      { class: 'neighbours', 'aria-label': 'Neighbours' },
      ...link(before, 'prev', 'Previous'),
      ...link(after, 'next', 'Next'),
    ),
  ];
}

function contents({ headings }: Page): readonly Child[] {
  if (headings.length < 2) return [];
  return [
    h(
      'nav',
      { class: 'contents', 'aria-label': 'On this page' },
      h('p', {}, 'On this page'),
      h(
        'ul',
        {},
        ...headings.map(({ depth, id, text }) =>
          h('li', { class: `depth-${depth}` }, h('a', { href: `#${id}` }, text)),
        ),
      ),
    ),
  ];
}
