import { type AccessContext, type Ruling, routeOfVerb, type Verb } from '../access/port.ts';
import { valuesAsRead } from '../iam/port.ts';
import { knownAddress } from '../lib/network/network-key.ts';
import { readQuery } from '../lib/query-string.ts';
import type { AppCaller } from '../people/port.ts';
import type { NamedPolicyRequest } from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';

/** The caller of a request, and the facts beside its subject that policies may look at. */
export interface Requester {
  readonly caller: AppCaller;
  readonly requestId: string;
  /** The address that it comes from, or a text in its place where that is not known. */
  readonly ip: string;
  readonly origin: string | undefined;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** A caller's request, as the request that asks for it alone. */
export interface AuthorizationRequest {
  /** A verb and the name of an entity, or another thing that policies allow. */
  readonly action: string;
  /** Set where it is about records: conditions that depend on the record are decided later. */
  readonly verb?: Verb | undefined;
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
  readonly about?: Parameters<typeof valuesAsRead>[0];
}

export interface RecordRequest extends AuthorizationRequest {
  readonly verb: Verb;
  /** As the path has it. */
  readonly entityName: string;
}

/** The facts beside the request, as far as they are known. */
export interface RecordState {
  readonly record?: AccessContext['record'];
  /** Those that a write has of the record. */
  readonly states?: Parameters<Ruling['evaluate']>[2];
  readonly pending?: AccessContext['pending'];
}

/** A request that does one thing, as it would be made for that alone. */
export function requestAlone(
  { verb, entityName, id, body, query = '', route }: NamedPolicyRequest,
  entity?: CompiledEntity,
): RecordRequest {
  return {
    action: verb + entityName,
    verb,
    entityName,
    ...routeOfVerb({ verb, entityName }, id ?? ''),
    ...(route === undefined ? {} : { resource: `/${route}/${entityName}` }),
    params: id === undefined ? { entity: entityName } : { entity: entityName, id },
    query,
    takesBody: body === undefined && (verb === 'create' || verb === 'update'),
    ...(body === undefined ? {} : { body }),
    ...(entity === undefined ? {} : { about: { verb, entity } }),
  };
}

/** The same request, now that its body is read. */
export function withBody<Request extends AuthorizationRequest>(request: Request, body: unknown): Request {
  return { ...request, body, takesBody: false };
}

/** The context that a decision may depend on. Made only where a statement depends on any of it. */
export function contextOf(
  { caller: { claims, place }, ip, origin, time }: Requester,
  { method, resource, params, query, takesBody, body, about }: AuthorizationRequest,
  { record, states: { before, after } = {}, pending: given = [] }: RecordState = {},
): AccessContext {
  const request: AccessContext['request'] = {
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
