import type { IncomingMessage } from 'node:http';
import { refuseTags } from '../../api/headers/preconditions.ts';
import type { GatewayRequest, TakesBody } from '../../api/request.ts';
import type { Match } from '../../api/router.ts';
import { checkSchema } from '../../lib/check-schema.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { readQuery } from '../../lib/query-string.ts';
import { hasBody, openBodyStream, readJsonBody, readSentBody, strangersBody } from './read-body.ts';

interface MatchedRoute {
  readonly access: string;
  readonly takesBody?: TakesBody;
  readonly takesTags?: true;
}

export interface MatchedRequest extends Match<MatchedRoute> {
  readonly query: string;
  readonly requestId: string;
  readonly ip: string;
}

/** Reads what the handler of a matched route needs. Comes after every check that does without the body. */
export function readRequest(incoming: IncomingMessage, matched: MatchedRequest): MaybePromise<GatewayRequest> {
  const { route, params, query, requestId, ip } = matched;
  const { takesBody } = route;
  if (route.takesTags !== true && !isSafe(incoming)) refuseTags(incoming);
  const stream = typeof takesBody === 'object' ? openBodyStream(incoming, takesBody.streamOf) : undefined;
  const withBody = (body: unknown): GatewayRequest => {
    return { head: incoming, requestId, ip, params, query: readQuery(query), body, stream };
  };
  const limits = route.access === 'public' ? strangersBody : {};
  if (takesBody === true) return readJsonBody(incoming, limits).then(withBody);
  if (takesBody === 'where sent' && hasBody(incoming)) return readSentBody(incoming, limits).then(withBody);
  // An unexpected body is a mistake that the caller has to hear of. In a GET it means nothing (RFC 9110, 9.3.1).
  if (takesBody === undefined && !isSafe(incoming) && hasBody(incoming))
    return readSentBody(incoming, strangersBody).then((body) => withBody(refuseMembers(body)));
  return withBody(undefined);
}

function isSafe({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

const noMembers = { type: 'object', additionalProperties: false };

/** @throws Problem where the body of a route that takes none is more than `{}`. */
function refuseMembers(body: unknown): undefined {
  const errors = body === undefined ? [] : checkSchema(noMembers, body);
  if (errors.length > 0) throw new Problem('unknown_field', 'this route takes no body', { errors });
  return undefined;
}
