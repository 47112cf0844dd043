import type { Reply } from '../api/reply.ts';
import type { GatewayRequest } from '../api/request.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Idempotency, MarkedScope, RepeatedRequests } from '../records/port.ts';
import { readOnce, replayedHeaders } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { isRemembered } from './routing/remembered-posts.ts';

export interface OnceServices {
  readonly idempotency: Idempotency;
  readonly repeats: RepeatedRequests;
  /** The scopes in which the effects of a request may lie. */
  readonly onceScopes: OnceScopes;
}

type Scopes = readonly [MarkedScope, ...MarkedScope[]];

export interface OnceScopes {
  /** @param orgCode undefined for the operator. */
  ofBuilder(orgCode: string | undefined): Scopes;
  ofAppUser(place: {
    readonly env: Environment;
    readonly org: string;
    readonly tenantCode: string | undefined;
  }): Scopes;
}

export interface OnceAsked {
  readonly route: Parameters<typeof isRemembered>[0];
  readonly request: GatewayRequest;
  /** Whose key it is. */
  readonly principal: string;
  readonly scopes: () => Scopes;
}

/** The answer of a handler, or its kept answer where the request was sent before. */
export function answerOnce(
  { idempotency, repeats }: Pick<OnceServices, 'idempotency' | 'repeats'>,
  { route, request, principal, scopes }: OnceAsked,
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
