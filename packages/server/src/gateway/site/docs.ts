import { selfApi } from '@freehold/contract/app/self';
import type { Reply } from '../../api/reply.ts';
import type { RequestHead } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serveReply } from '../../api/serve.ts';
import { notFound } from '../../lib/problem.ts';
import type { DocsSource, SiteFile } from '../site-files.ts';
import { htmlHeaders, keptReply, noticeReply, revalidatedReply } from './site-reply.ts';

const folder = '/docs';

/** The reply to a path of the documentation, which begins with `/docs`; undefined where it has no answer. */
export function docsReply(source: DocsSource, incoming: RequestHead, path: string): Reply | undefined {
  const { method } = incoming;
  const state = source.current();
  if (state.is === 'off' || (method !== 'GET' && method !== 'HEAD')) return undefined;
  if (state.is !== 'built') return notice(state.is);
  const inside = path.slice(folder.length);
  const file = inside === appPage ? undefined : state.files.get(inside);
  if (file !== undefined) return inside.startsWith('/assets/') ? keptReply(file, incoming) : pageReply(file, incoming);
  // A folder has no slash at its end, and the links of its page need one.
  if (!state.files.has(`${inside}/index.html`)) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { status: 302, headers: { Location: `${name}/index.html`, 'Cache-Control': 'no-cache' } };
}

/** Its links to the files of the docs lead there from `/app/{org}/docs` alone. */
const appPage = '/app-docs.html';

/** The page about the API of an app; undefined where the platform has no docs. */
export function appPageReply(source: DocsSource): Reply | undefined {
  const state = source.current();
  if (state.is === 'off') return undefined;
  if (state.is !== 'built') return notice(state.is);
  const page = state.files.get(appPage);
  if (page === undefined) return undefined;
  const headers = { ...htmlHeaders(docsPolicy), 'Cache-Control': 'no-store' };
  return { status: 200, bytes: page.plain, contentType: page.contentType, headers };
}

function notice(why: 'building' | 'missing'): Reply {
  return noticeReply({ what: 'documentation', isBuilding: why === 'building' });
}

function pageReply(file: SiteFile, incoming: RequestHead): Reply {
  return revalidatedReply(file, incoming, htmlHeaders(docsPolicy));
}

/** Scripts, styles and calls of this origin alone, and no script that writes markup. */
const docsPolicy = [
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

interface DocsRouteDeps {
  readonly docs: DocsSource;
}

/** The page about an app's own API. It holds nothing of any app: it asks for the document as its visitor. */
export function docsRoutes({ docs }: DocsRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(selfApi.readDocs, () => {
      const reply = appPageReply(docs);
      if (reply === undefined) throw notFound();
      return reply;
    }),
    serveReply(selfApi.readDocsFile, ({ params, head }) => {
      const state = docs.current();
      const file = state.is === 'built' ? state.files.get(`/assets/${params.name}`) : undefined;
      if (file === undefined) throw notFound();
      return keptReply(file, head);
    }),
  ];
}
