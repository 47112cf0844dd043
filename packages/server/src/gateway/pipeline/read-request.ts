import type { IncomingMessage } from 'node:http';
import type { NowOrLater } from '../../lib/now-or-later.ts';
import type { GatewayRequest, TakesBody } from '../request.ts';
import type { Match } from '../router.ts';
import { openBodyStream } from './body-stream.ts';
import { readJsonBody, strangersBody } from './read-json-body.ts';
import { readQuery } from './read-query.ts';

export interface MatchedRequest extends Match<{ readonly access: string; readonly takesBody?: TakesBody }> {
  readonly query: string;
  readonly requestId: string;
  readonly ip: string;
}

/** Reads what the handler of a matched route needs. Comes after every check that does without the body. */
export function readRequest(incoming: IncomingMessage, matched: MatchedRequest): NowOrLater<GatewayRequest> {
  const { route, params, query, requestId, ip } = matched;
  const { takesBody } = route;
  const stream = typeof takesBody === 'object' ? openBodyStream(incoming, takesBody.streamOf) : undefined;
  const withBody = (body: unknown): GatewayRequest => {
    return { incoming, requestId, ip, params, query: readQuery(query), body, stream };
  };
  const takesJson = takesBody === true || (takesBody === 'where sent' && hasBody(incoming));
  if (!takesJson) return withBody(undefined);
  return readJsonBody(incoming, route.access === 'public' ? strangersBody : {}).then(withBody);
}

/** RFC 9112, 6: what says that a body follows. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
