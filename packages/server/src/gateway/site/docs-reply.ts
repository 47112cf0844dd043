import type { IncomingMessage } from 'node:http';
import type { Reply } from '../reply.ts';
import type { SiteFile } from '../site-files.ts';
import type { DocsSource } from '../site-source.ts';
import { keptReply, revalidatedReply } from './file-reply.ts';
import { htmlHeaders, noticeReply } from './notice-reply.ts';

const folder = '/docs';

/** The reply to a path of the documentation, which begins with `/docs`; undefined where it has no answer. */
export function docsReply(source: DocsSource, incoming: IncomingMessage, path: string): Reply | undefined {
  const { method } = incoming;
  const state = source.current();
  if (state.is === 'off' || (method !== 'GET' && method !== 'HEAD')) return undefined;
  if (state.is !== 'built')
    return noticeReply({ what: 'documentation', command: 'build:docs', isBuilding: state.is === 'building' });
  const inside = path.slice(folder.length);
  const file = state.files.get(inside);
  if (file !== undefined) return inside.startsWith('/assets/') ? keptReply(file, incoming) : pageReply(file, incoming);
  // A folder has no slash at its end, and the links of its page need one.
  if (!state.files.has(`${inside}/index.html`)) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { status: 302, headers: { Location: `${name}/index.html`, 'Cache-Control': 'no-cache' } };
}

function pageReply(file: SiteFile, incoming: IncomingMessage): Reply {
  return revalidatedReply(file, incoming, htmlHeaders(docsPolicy));
}

/** Scripts, styles and calls of this origin alone, and no script that writes markup. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
