import type { IncomingMessage } from 'node:http';
import { readTarget } from '../../api/canonical-path.ts';
import type { Reply } from '../../api/reply.ts';
import type { RoutePattern } from '../../api/router.ts';
import type { Gateway } from '../app-gateway.ts';
import { docsReply } from '../site/docs-reply.ts';
import type { ConsoleSource, DocsSource } from '../site-source.ts';
import { consoleReply } from './console-reply.ts';

interface Sites {
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

/**
 * The management gateway with its sites, which answer only below first segments that no route of the API has. An address
 * of a site with a slash at its end, as people type it, leads to the one without it.
 */
export function withSites(api: Gateway, routes: readonly RoutePattern[], { console, docs }: Sites): Gateway {
  const segmentsOfApi = new Set(routes.map(({ path }) => firstSegment(path)));
  const siteReply = (incoming: IncomingMessage, path: string): Reply | undefined => {
    const segment = firstSegment(path);
    if (segmentsOfApi.has(segment)) return undefined;
    return segment === 'docs' ? docsReply(docs, incoming, path) : consoleReply(console, incoming, path);
  };
  return async (incoming, trace, errors) => {
    const url = incoming.url ?? '/';
    const [whole = '', folder = ''] = /^([^?]*[^/?])\/(?=\?|$)/.exec(url) ?? [];
    const { path, query } = readTarget(folder + url.slice(whole.length));
    const reply = siteReply(incoming, path);
    if (reply === undefined) return api(incoming, trace, errors);
    trace.route = '/*';
    return whole === '' ? reply : withoutSlash(path, query);
  };
}

/** Relative, because a proxy may serve the gateway below a path of its own. */
function withoutSlash(path: string, query: string): Reply {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const Location = `../${name}${query === '' ? '' : `?${query}`}`;
  return { status: 302, headers: { Location, 'Cache-Control': 'no-cache' } };
}

function firstSegment(path: string): string {
  const [, segment = ''] = path.split('/', 2);
  return segment;
}
