/** Sentences about every link of a built site that leads nowhere: to no page, no file or no anchor. */
import { posix } from 'node:path';

export function brokenLinks(files: ReadonlyMap<string, string>): readonly string[] {
  const anchors = new Map(
    [...files].filter(([path]) => path.endsWith('.html')).map(([path, html]) => [path, idsOf(html)]),
  );
  return [...anchors.keys()].flatMap((path) =>
    linksOf(files.get(path) ?? '').flatMap((link) => {
      if (/^(https?:|mailto:)/.test(link)) return [];
      if (link.startsWith('/')) return [`${path} links to ${link}: it is absolute`];
      const [target = '', anchor] = link.split('#');
      const file = target === '' ? path : posix.join(posix.dirname(path), target);
      if (!files.has(file)) return [`${path} links to ${link}: there is no such file`];
      const isMissing =
        anchor !== undefined && anchor !== '' && anchors.get(file)?.has(decodeURIComponent(anchor)) !== true;
      return isMissing ? [`${path} links to ${link}: there is no such anchor`] : [];
    }),
  );
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id));
}

function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );
}
