import type { Gateway } from '../app-gateway.ts';
import { isPreflight } from '../pipeline/headers/cors.ts';

/**
 * `OPTIONS` (RFC 9110, 9.3.7) asks for the methods of a route: the refusal of a method that the route does not have names
 * them, before a token is read. A preflight asks for something else.
 */
export function answeringOptions(gateway: Gateway): Gateway {
  return async (incoming, trace, errors) => {
    if (incoming.method !== 'OPTIONS' || isPreflight(incoming)) return gateway(incoming, trace, errors);
    const reply = await gateway(incoming, trace, errors).catch((error) => errors.reply(error, trace.requestId));
    if (reply.status !== 405) return reply;
    return { status: 204, ...(reply.headers === undefined ? {} : { headers: reply.headers }) };
  };
}
