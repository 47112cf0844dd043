import type { IncomingMessage } from 'node:http';
import type { GatewayRequest, TakesBody } from '../request.ts';
import type { Match } from '../router.ts';
import { openBodyStream } from './body-stream.ts';
import { readJsonBody } from './read-json-body.ts';
import { readQuery } from './read-query.ts';

export interface MatchedRequest extends Match<{ readonly takesBody?: TakesBody }> {
  readonly query: string;
  readonly requestId: string;
  readonly ip: string;
}

/** Reads what the handler of a matched route needs. Comes after every check that does without the body. */
export async function readRequest(incoming: IncomingMessage, matched: MatchedRequest): Promise<GatewayRequest> {
  const { route, params, query, requestId, ip } = matched;
  const { takesBody } = route;
  const body = takesBody === true ? await readJsonBody(incoming) : undefined;
  const stream = typeof takesBody === 'object' ? openBodyStream(incoming, takesBody.streamOf) : undefined;
  return { incoming, requestId, ip, params, query: readQuery(query), body, stream };
}
