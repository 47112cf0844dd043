import type { IncomingMessage } from 'node:http';
import type { Verb } from '../access/verbs.ts';
import type { RecordCall } from '../entities/write-loop.ts';
import type { AppCaller } from '../identity/app-sessions.ts';
import type { Reply } from './reply.ts';
import type { RoutePattern } from './router.ts';

/** A request as every handler of the app gateway gets it. */
export interface AppRequest {
  readonly incoming: IncomingMessage;
  readonly requestId: string;
  readonly ip: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** The parsed JSON body; undefined on routes that take none. */
  readonly body: unknown;
}

/** Open to anyone: signing in, keys, health. */
export interface PublicRoute extends RoutePattern {
  readonly access: 'public';
  readonly takesBody?: boolean;
  readonly handle: (request: AppRequest) => Reply | Promise<Reply>;
}

/** About the caller: a token is enough. */
export interface SelfRoute extends RoutePattern {
  readonly access: 'self';
  readonly takesBody?: boolean;
  readonly handle: (request: AppRequest, caller: AppCaller) => Reply | Promise<Reply>;
}

/** About records: decided by the caller's policies before the handler is asked. */
export interface RecordRoute extends RoutePattern {
  readonly access: Verb;
  readonly takesBody?: boolean;
  readonly handle: (request: AppRequest, call: RecordCall) => Reply | Promise<Reply>;
}

export type AppRoute = PublicRoute | SelfRoute | RecordRoute;
