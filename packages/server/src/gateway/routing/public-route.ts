import type { Reply } from '../../api/reply.ts';
import type { GatewayRequest, TakesBody } from '../../api/request.ts';
import type { RoutePattern } from './router.ts';

/** A route that is open to anyone, on either gateway: signing in, keys, health. */
export interface PublicRoute extends RoutePattern {
  readonly access: 'public';
  /** Counts as a call of the org if it succeeds: a refused caller does not belong to an org. */
  readonly isMetered?: true;
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest) => Reply | Promise<Reply>;
}
