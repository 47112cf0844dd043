import type { Gateway } from '../app-gateway.ts';
import type { ConsoleSource } from '../console-source.ts';
import { readTarget } from '../pipeline/canonical-path.ts';
import type { RoutePattern } from '../routing/router.ts';
import { consoleReply } from './console-reply.ts';

/** The management gateway with its console, which answers only below first segments that no route of the API has. */
export function withConsole(api: Gateway, routes: readonly RoutePattern[], source: ConsoleSource): Gateway {
  const segmentsOfApi = new Set(routes.map(({ path }) => firstSegment(path)));
  return async (incoming, trace, errors) => {
    const { path } = readTarget(incoming.url ?? '/');
    const reply = segmentsOfApi.has(firstSegment(path)) ? undefined : consoleReply(source, incoming, path);
    if (reply === undefined) return api(incoming, trace, errors);
    trace.route = '/*';
    return reply;
  };
}

function firstSegment(path: string): string {
  const [, segment = ''] = path.split('/', 2);
  return segment;
}
