import type { AccessContext, KnownStates, Pending, RequestContext } from '../../access/port.ts';
import { readQuery } from '../../api/read-query.ts';
import { type RequestSubject, valuesAsRead } from '../../iam/port.ts';
import type { AppCaller } from '../../identity/port.ts';
import { knownAddress } from '../../lib/network/network-key.ts';

/** What policies may look at of a request, whatever it is about. */
export interface PolicyRequestFacts {
  readonly caller: AppCaller;
  /** The address that it comes from, or what stands for one that is not known. */
  readonly ip: string;
  readonly origin: string | undefined;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** What is asked for, as the request that asks for it alone. */
export interface PolicyRequest {
  readonly method: string;
  /** The path after `/app/{orgCode}`. */
  readonly resource: string;
  readonly params: Readonly<Record<string, string>>;
  /** The query string. */
  readonly query: string;
  /** Whether it has a body that is not read yet. */
  readonly takesBody: boolean;
  readonly body?: unknown;
  /** By what the body and the query are read. Where there is no such entity, they are taken as they are. */
  readonly about?: RequestSubject | undefined;
}

/** A request with what else is known, and what is not. */
export interface KnownRequest {
  readonly request: PolicyRequest;
  readonly record?: AccessContext['record'];
  /** Those that a write has of the record. */
  readonly states?: KnownStates | undefined;
  readonly pending?: readonly Pending[];
}

/** What a decision may depend on. Made only where a statement depends on any of it. */
export function contextOf(
  { caller: { claims, place }, ip, origin, time }: PolicyRequestFacts,
  { request: asked, record, states: { before, after } = {}, pending: given = [] }: KnownRequest,
): AccessContext {
  const { method, resource, params, query, takesBody, body, about } = asked;
  const request: RequestContext = {
    method,
    path: resource,
    pathParameters: params,
    ...valuesAsRead(about, { queryParameters: readQuery(query), body }),
    ip: knownAddress(ip),
    time,
    ...(origin === undefined ? {} : { origin }),
  };
  const pending = after === 'open' ? [...given, 'after' as const] : given;
  return {
    request,
    user: { id: claims.sub, email: claims.email },
    tenant: { id: place?.workspace.tenantId ?? '', code: place?.workspace.tenantCode ?? '' },
    jwt: claims as unknown as AccessContext['jwt'],
    ...(about?.entity.naming === undefined ? {} : { naming: about.entity.naming }),
    ...(record === undefined ? {} : { record }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined || after === 'open' ? {} : { after }),
    pending: takesBody ? [...pending, 'body'] : pending,
  };
}
