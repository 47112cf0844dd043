import { posix } from 'node:path';
import type { SourceTree } from './source-tree.ts';

/** Sentences about every link between files that leads nowhere. `isThere` knows the pictures, which are no texts of the tree. */
export function checkLinks(tree: SourceTree, isThere: (path: string) => boolean = () => false): readonly string[] {
  const pages = [...tree].filter(([path]) => path.endsWith('.md'));
  return pages.flatMap(([path, text]) =>
    linksOf(text).flatMap((link) => {
      const [target = '', anchor] = link.split('#');
      const file = target === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(target));
      const isShown = mayBePicture(file) && isThere(file);
      if (!isShown && !leadsSomewhere(tree, file)) return [`${path} links to ${link}: there is no such file`];
      const page = tree.get(file);
      const isMissing = anchor !== undefined && file.endsWith('.md') && !anchorsOf(page ?? '').includes(anchor);
      return isMissing ? [`${path} links to ${link}: there is no such heading`] : [];
    }),
  );
}

/** Or a folder of pictures. */
function mayBePicture(path: string): boolean {
  return /(\.webp|\/)$/.test(path);
}

/** The links of a page that stay in the repository, without those in code. */
function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const referenced = [...prose.matchAll(/^\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)/gm)];
  return [...inline, ...referenced].flatMap(([, link]) =>
    link === undefined || /^[a-z]+:|^\/\//i.test(link) ? [] : [link],
  );
}

function leadsSomewhere(tree: SourceTree, file: string): boolean {
  const path = file.replace(/\/$/, '');
  return path === '.' || tree.has(path) || [...tree.keys()].some((other) => other.startsWith(`${path}/`));
}

/** The anchors that a page's headings get where repositories are shown: lower case, no marks, `-` for a space. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...page.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading]) => heading ?? '');
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
