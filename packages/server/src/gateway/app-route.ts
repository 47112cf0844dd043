import type { Verb } from '../access/verbs.ts';
import type { AuthorizedCall } from '../entities/caller-access.ts';
import type { AppCaller } from '../identity/app-sessions.ts';
import type { PublicRoute } from './public-route.ts';
import type { Reply } from './reply.ts';
import type { GatewayRequest, TakesBody } from './request.ts';
import type { RoutePattern } from './router.ts';

/** About the caller: a token is enough. */
export interface SelfRoute extends RoutePattern {
  readonly access: 'self';
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest, caller: AppCaller) => Reply | Promise<Reply>;
}

/** About records: decided by the caller's policies before the handler is asked. */
export interface RecordRoute extends RoutePattern {
  readonly access: Verb;
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest, call: AuthorizedCall) => Reply | Promise<Reply>;
}

export type AppRoute = PublicRoute | SelfRoute | RecordRoute;
