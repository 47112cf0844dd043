import type { Route } from '@freehold/contract/route';
import type { Reply } from '../api/reply.ts';
import type { GatewayRequest } from '../api/request.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import {
  type Idempotency,
  type MarkedScope,
  type RepeatedRequests,
  readOnce,
  replayedHeaders,
} from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';

export interface OnceServices {
  readonly idempotency: Idempotency;
  readonly repeats: RepeatedRequests;
  /** The scopes in which the effects of a request may lie. */
  readonly onceScopes: OnceScopes;
}

type MarkedScopes = readonly [MarkedScope, ...MarkedScope[]];

export interface OnceScopes {
  /** @param orgCode undefined for the operator. */
  ofBuilder(orgCode: string | undefined): MarkedScopes;
  ofAppUser(place: {
    readonly env: Environment;
    readonly org: string;
    readonly tenantCode: string | undefined;
  }): MarkedScopes;
}

export interface IdempotentCall {
  readonly route: Parameters<typeof isRemembered>[0];
  readonly request: GatewayRequest;
  /** Whose key it is. */
  readonly principal: string;
  readonly scopes: () => MarkedScopes;
}

/** The answer of a handler, or its kept answer where the request was sent before. */
export function idempotent(
  { idempotency, repeats }: Pick<OnceServices, 'idempotency' | 'repeats'>,
  { route, request, principal, scopes }: IdempotentCall,
  handle: () => MaybePromise<Reply>,
): MaybePromise<Reply> {
  if (route.method !== 'POST' || request.head.headers['idempotency-key'] === undefined) return handle();
  const once = isRemembered(route) ? readOnce(idempotency, request, principal) : undefined;
  if (once === undefined) return handle();
  return repeats
    .answer({ request: once, scopes: scopes() }, async () => handle())
    .then(({ answer, isReplayed }) =>
      isReplayed ? { ...answer, headers: { ...answer.headers, ...replayedHeaders } } : answer,
    );
}

/** Whether the gateway remembers the answer of a route: of every POST, unless its description says otherwise. */
export function isRemembered({ method, route }: { readonly method: string; readonly route?: Route }): boolean {
  return method === 'POST' && route !== undefined && route.repeats === undefined;
}
