/** The client of the management API, for builders' programs and pipelines. Typed by the descriptions of its routes. */
import type { PartsArgument } from '@freehold/contract/parts-argument';
import { requestOf } from './caller.ts';
import type { Calls } from './management/calls.ts';
import { managementRoutes } from './management/routes.ts';
import { type QueryValues, withQuery } from './query.ts';
import { type RequestBody, send, transport } from './transport.ts';

export { FreeholdError, VersionConflictError } from './errors.ts';

export type RouteName = keyof Calls;

export interface ManagementOptions {
  /** The address of the management gateway, such as `https://manage.example.com`. */
  readonly url: string;
  /** A session token or a deploy key; a function is asked before each call. */
  readonly token?: string | (() => string | undefined) | undefined;
  /** The code of the org that calls are meant for: a token of another one is refused by 409 `org_mismatch`. */
  readonly org?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The number of times that a call is sent again at most, where that is safe: 3. */
  readonly retries?: number | undefined;
}

/** The request of a call of the route. */
export type CallInput<N extends RouteName> = Calls[N]['parts'] & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** For routes that take a stream: sent as it is, under the `Content-Type` of `headers`. */
  readonly file?: RequestBody;
  /** Of a POST: makes it count once also if the program calls again. Left out, each call has a key of its own. */
  readonly idempotencyKey?: string;
};

export type Reply<N extends RouteName> = Calls[N]['reply'];

export interface Whole<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Management {
  /** Calls a route by its name, such as `listEntities`. @returns the body of the reply. @throws FreeholdError. */
  call<N extends RouteName>(name: N, ...input: PartsArgument<CallInput<N>>): Promise<Reply<N>>;
  /** The same with status and headers, for entity tags. A 304, which answers `If-None-Match` alone, has no body. */
  callWhole<N extends RouteName>(name: N, ...input: PartsArgument<CallInput<N>>): Promise<Whole<Reply<N>>>;
}

interface Input {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: QueryValues;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly file?: RequestBody;
  readonly idempotencyKey?: string;
}

export function createManagement(options: ManagementOptions): Management {
  const { token, org } = options;
  const base = options.url.replace(/\/+$/, '');
  const sender = transport(options);
  const callWhole = async (name: string, input: Input = {}): Promise<Whole<unknown>> => {
    const [method, path, repeats, accept] = routeOf(name);
    const bearer = typeof token === 'function' ? token() : token;
    const headers = {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(org === undefined ? {} : { 'x-org': org }),
      ...(accept === undefined ? {} : { accept }),
      ...(input.file === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      ...lowerCased(input.headers),
    };
    const request = requestOf(method, path, { ...input, headers, body: input.file ?? input.body });
    const countsOnce = request.countsOnce && repeats !== 'once';
    return send(sender, {
      ...request,
      url: withQuery(`${base}${filled(path, input.params)}`, input.query),
      countsOnce,
    });
  };
  const call = async (name: string, input?: Input): Promise<unknown> => (await callWhole(name, input)).body;
  return { call, callWhole } as Management;
}

function routeOf(name: string) {
  const route = Object.hasOwn(managementRoutes, name) ? managementRoutes[name] : undefined;
  if (route === undefined) throw new TypeError(`the management API has no route \`${name}\``);
  return route;
}

function filled(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`the path needs \`params.${name}\``);
    return encodeURIComponent(value);
  });
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
