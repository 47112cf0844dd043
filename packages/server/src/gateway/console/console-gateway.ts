import type { Gateway } from '../app-gateway.ts';
import { readTarget } from '../pipeline/canonical-path.ts';
import type { RoutePattern } from '../routing/router.ts';
import { docsReply } from '../site/docs-reply.ts';
import type { ConsoleSource, DocsSource } from '../site-source.ts';
import { consoleReply } from './console-reply.ts';

interface Sites {
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

/** The management gateway with its sites, which answer only below first segments that no route of the API has. */
export function withSites(api: Gateway, routes: readonly RoutePattern[], { console, docs }: Sites): Gateway {
  const segmentsOfApi = new Set(routes.map(({ path }) => firstSegment(path)));
  return async (incoming, trace, errors) => {
    const { path } = readTarget(incoming.url ?? '/');
    const segment = firstSegment(path);
    const reply = segmentsOfApi.has(segment)
      ? undefined
      : segment === 'docs'
        ? docsReply(docs, incoming, path)
        : consoleReply(console, incoming, path);
    if (reply === undefined) return api(incoming, trace, errors);
    trace.route = '/*';
    return reply;
  };
}

function firstSegment(path: string): string {
  const [, segment = ''] = path.split('/', 2);
  return segment;
}
