/** The one way to the management API: typed by the descriptions of its routes. */
import { managementApi } from '@freehold/contract/management';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf } from '@freehold/contract/route';
import { CommandError } from '../frame/command-error.ts';
import { refusalOf, unreachable } from './refusal.ts';

type Api = typeof managementApi;
export type RouteName = keyof Api;

/** What a call sends: only the parts that its route has. Parameters with a default may be left out. */
export type Input<N extends RouteName> = (keyof ParamsOf<Api[N]> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<Api[N]> }) &
  (undefined extends BodyOf<Api[N]> ? { readonly body?: BodyOf<Api[N]> } : { readonly body: BodyOf<Api[N]> }) & {
    readonly query?: Partial<QueryOf<Api[N]>>;
    readonly headers?: Readonly<Record<string, string>>;
    /** For routes that take a stream. */
    readonly stream?: { readonly type: string; readonly bytes: Uint8Array };
  };

type Arguments<N extends RouteName> = Record<never, never> extends Input<N> ? [input?: Input<N>] : [input: Input<N>];

export interface Management {
  /** The body of the reply. @throws CommandError that names the refusal, and the next step. */
  call<N extends RouteName>(name: N, ...given: Arguments<N>): Promise<ReplyOf<Api[N]>>;
  /** The bytes of a reply that is no JSON. */
  bytes<N extends RouteName>(name: N, ...given: Arguments<N>): Promise<Uint8Array>;
}

export interface ManagementAccess {
  readonly url: string;
  /** Left out by calls that take none. */
  readonly token?: string;
  /** The org that every call expects; the platform refuses a call of another one. */
  readonly org?: string;
}

export function createManagement(access: ManagementAccess): Management {
  return {
    call: async (name, ...[input]) => {
      const response = await send(access, name, input ?? {});
      const text = await response.text();
      return (text === '' ? undefined : JSON.parse(text)) as ReplyOf<Api[typeof name]>;
    },
    bytes: async (name, ...[input]) => new Uint8Array(await (await send(access, name, input ?? {})).arrayBuffer()),
  };
}

interface Sent {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream?: { readonly type: string; readonly bytes: Uint8Array };
}

async function send({ url, token, org }: ManagementAccess, name: RouteName, sent: Sent): Promise<Response> {
  const { method, path } = managementApi[name];
  const { params = {}, query = {}, body, headers, stream } = sent;
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => encodeURIComponent(params[parameter] ?? ''));
  const type = stream?.type ?? (body === undefined ? undefined : 'application/json');
  const init: RequestInit = {
    method,
    // A credential goes to the address that it was given for, and to no other.
    redirect: 'manual',
    headers: {
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(org === undefined ? {} : { 'X-Org': org }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(stream === undefined ? {} : { body: stream.bytes as Uint8Array<ArrayBuffer> }),
  };
  const response = await fetch(`${url}${filled}${searchOf(query)}`, init).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  if (response.ok) return response;
  if (response.status >= 300 && response.status < 400)
    throw new CommandError(`${url} redirects to another address`, {
      code: 'redirected',
      next: `sign in at the address of the management gateway itself`,
    });
  throw await refusalOf(response, url);
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
