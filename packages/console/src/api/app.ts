/**
 * The one way to the app API: as one of the app's users, or in the test environment as the builder himself, by a token
 * of a quarter of an hour that is kept in memory only.
 */

import type { Method } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { call } from './call.ts';
import { type Answered, answerOf, reach, searchOf } from './http.ts';
import { impersonateInput } from './inputs.ts';
import { problemOf } from './problem.ts';
import { queryClient } from './query-client.ts';
import { type Environment, usePlace } from './session.ts';
import { type Viewed, viewReason } from './view-reason.ts';

/** In whose name, and in which workspace, the app is called. */
export interface Actor {
  readonly org: string;
  readonly env: Environment;
  /** The code of the workspace. */
  readonly workspace: string;
  /** The id of the user; undefined for the builder himself, which production refuses. */
  readonly user: string | undefined;
}

/** The actor that the address names (`?w=`, `?u=`); undefined until a workspace is chosen. */
export function useActor(): Actor | undefined {
  const { org, env, workspace } = usePlace();
  const { u } = useSearch({ from: '/o/$org/$env' });
  return workspace === undefined ? undefined : { org, env, workspace, user: u };
}

export interface AppInput {
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`: a file to import. */
  readonly content?: { readonly type: string; readonly data: BodyInit };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Calls the app API.
 * @param path Below `/app/{org}`, each of its segments encoded: `/ticket/0192…`.
 * @throws ApiProblem.
 */
export async function callApp(
  actor: Actor,
  method: Method,
  path: `/${string}`,
  input: AppInput = {},
): Promise<Answered<unknown>> {
  return await answerOf(await fetchApp(actor, method, path, input));
}

/** The same with the reply as it arrives, for exports. @throws ApiProblem. */
export async function fetchApp(
  actor: Actor,
  method: Method,
  path: `/${string}`,
  input: AppInput = {},
): Promise<Response> {
  const { response } = await tryApp(actor, method, path, input);
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** A reply as it arrives, also that of a refusal. */
export interface Tried {
  readonly response: Response;
  /** The time at which the call was sent, in milliseconds of `performance`. */
  readonly sentAt: number;
}

/** Calls the app API, and takes a refusal for a reply. @throws ApiProblem if there is no token or no reply. */
export async function tryApp(actor: Actor, method: Method, path: `/${string}`, input: AppInput = {}): Promise<Tried> {
  const address = `${appAddress(actor.org)}${path}${searchOf(input.query ?? {})}`;
  const first = await send(address, method, input, await tokenOf(actor));
  if (first.response.status !== 401) return first;
  // The token ended before its time: with the session, the role or the membership that it stands on.
  queryClient.removeQueries({ queryKey: tokenQuery(actor).queryKey, exact: true });
  return await send(address, method, input, await tokenOf(actor));
}

/** The address of the org's app, to which paths are appended. */
export function appAddress(org: string): string {
  const gateway = document.querySelector('meta[name="app-url"]')?.getAttribute('content') ?? '';
  return `${gateway.replace(/\/$/, '')}/app/${encodeURIComponent(org)}`;
}

async function send(address: string, method: Method, input: AppInput, token: string): Promise<Tried> {
  const { body, content, headers, signal } = input;
  const type = content?.type ?? (body === undefined ? undefined : 'application/json');
  const data = content?.data ?? (body === undefined ? undefined : JSON.stringify(body));
  const sentAt = performance.now();
  const response = await reach(address, {
    method,
    headers: {
      Accept: 'application/json',
      Authorization: `Bearer ${token}`,
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...headers,
    },
    ...(data === undefined ? {} : { body: data }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { response, sentAt };
}

/** Drops the tokens by which the app was called in the name of a user. */
export function forgetTokens({ org, env, user }: Viewed): void {
  queryClient.removeQueries({ queryKey: [tokenKey, { org, env, user }] });
}

const tokenKey = 'app token';
const spareMilliseconds = 30_000;

/** The token of an actor, kept as what was read is: until it is about to expire, or the session ends. */
function tokenQuery(actor: Actor) {
  const { org, env, workspace, user } = actor;
  return queryOptions({
    queryKey: [tokenKey, actor],
    queryFn: async () => {
      const reason = user === undefined ? undefined : await viewReason({ org, env, user });
      return await call('impersonate', impersonateInput({ env, workspace, user, reason }));
    },
    staleTime: ({ state: { data, dataUpdatedAt } }) =>
      data === undefined ? 0 : Date.parse(data.expires_at) - dataUpdatedAt - spareMilliseconds,
    retry: false,
  });
}

async function tokenOf(actor: Actor): Promise<string> {
  return (await queryClient.fetchQuery(tokenQuery(actor))).token;
}
