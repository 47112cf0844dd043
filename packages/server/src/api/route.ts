import type { Method, Route } from '@freehold/contract/route';
import type { Reply } from './reply.ts';
import type { GatewayRequest, TakesBody } from './request.ts';

/**
 * The types of a route's caller, by the route's access. A module that makes callers adds them by `declare module`, so
 * that its routes and those of later modules get them.
 */
export interface Callers {
  readonly public: undefined;
}

export type RouteAccess = keyof Callers;

/** A route as a gateway serves it: its description, and the function that answers. */
export interface ServedRoute<A extends RouteAccess = RouteAccess> {
  /** Left out of a route of records, which is described for each entity. */
  readonly route?: Route;
  readonly method: Method;
  /** Segments that stand as they are, and `:name` for any one segment. */
  readonly path: string;
  readonly access: A;
  /** It changes what has an entity tag, and reads what a caller says of that. */
  readonly takesTags?: true;
  readonly takesBody?: TakesBody;
  readonly compressed?: Route['compressed'];
  /** The audit log's name for a refused call. */
  readonly refusedAs?: `${string}_refused`;
  /** Counts as a call of the org where it succeeds: a refused caller does not belong to an org. */
  readonly isMetered?: true;
  /** Writes, so it is closed to an org that has reached a limit of its plan. */
  readonly isGated?: true;
  /** Also for callers who are no person: what they may do, or what the app is. */
  readonly takesAnyone?: true;
  /** Also for a member without the second factor that the org requires. */
  readonly takesUnprotected?: true;
  /** Changes nothing, for all that it takes a body. */
  readonly isRead?: true;
  /** The texts of the body of which several spellings mean one thing, each with what policies see of it. */
  readonly readTexts?: Readonly<Record<string, (text: string) => string>>;
  readonly handle: (request: GatewayRequest, caller: Callers[A]) => Reply | Promise<Reply>;
}

/** The body as policies see it. */
export function bodyAsRead({ readTexts = {} }: Pick<ServedRoute, 'readTexts'>, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body).map(([name, value]) => {
    const read = Object.hasOwn(readTexts, name) ? readTexts[name] : undefined;
    return [name, read !== undefined && typeof value === 'string' ? read(value) : value];
  });
  return Object.fromEntries(members);
}

/** A route of one of these accesses. */
export type RouteOf<A extends RouteAccess> = { readonly [One in A]: ServedRoute<One> }[A];

export type AnyRoute = RouteOf<RouteAccess>;

/** The routes that a module adds to the gateways. */
export interface RoutesOfModule {
  readonly app?: readonly AnyRoute[];
  readonly management?: readonly AnyRoute[];
}
