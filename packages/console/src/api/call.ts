/**
 * The one way to the management API: typed by the descriptions of its routes. The session is a cookie that no script
 * reads. If it has ended, or has moved to another org, the user is asked in place, and the call is sent once more.
 */

import { managementRoutes } from 'virtual:routes';
import type { managementApi } from '@freehold/contract/management';
import type { PartsArgument } from '@freehold/contract/parts-argument';
import type { CallParts, ReplyOf } from '@freehold/contract/route';
import { factorRequired } from './factor-required.ts';
import { type Answered, answerOf, reach, searchOf } from './http.ts';
import { problemOf } from './problem.ts';
import { signInAgain } from './session-end.ts';
import { begin } from './started-calls.ts';
import { returnToOrg, tabOrg } from './tab-org.ts';

type Api = typeof managementApi;
export type RouteName = keyof Api;

export type Input<N extends RouteName> = CallParts<Api[N]> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** For routes that take a stream: sent as it is, under its own type. */
  readonly file?: Blob;
  /** For calls that ask whether there is a session: 401 is thrown at once. */
  readonly mayBeSignedOut?: true;
};

type Arguments<N extends RouteName> = PartsArgument<Input<N>>;

/** Sends a call. @returns the body of the reply. @throws ApiProblem. */
export async function call<N extends RouteName>(name: N, ...given: Arguments<N>): Promise<ReplyOf<Api[N]>> {
  return (await callWhole(name, ...given)).body;
}

/** The same with status and headers, for entity tags. @throws ApiProblem. */
export async function callWhole<N extends RouteName>(
  name: N,
  ...[input]: Arguments<N>
): Promise<Answered<ReplyOf<Api[N]>>> {
  const response = await send(requestOf(name, input ?? {}), input ?? {});
  const answered = await answerOf(response);
  return { ...answered, body: answered.body as ReplyOf<Api[N]> };
}

/** Sends a call whose reply is needed later: the same call then takes it. */
export function startCall<N extends RouteName>(name: N, ...[input]: Arguments<N>): void {
  const { address, init } = requestOf(name, input ?? {});
  begin(address, init);
}

interface Sent {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly file?: Blob;
  readonly mayBeSignedOut?: true;
}

interface Request {
  readonly address: string;
  readonly init: RequestInit;
}

/** The way a call is sent. */
export function requestOf(name: RouteName, sent: Sent): Request {
  const [method, path] = managementRoutes[name] ?? ['GET', '/'];
  const { body, signal, file } = sent;
  const init: RequestInit = {
    method,
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...orgHeader(name, sent),
      ...sent.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(file === undefined ? {} : { body: file }),
    ...(signal === undefined ? {} : { signal }),
  };
  return { address: addressOf(path, sent), init };
}

async function send({ address, init }: Request, { mayBeSignedOut }: Sent): Promise<Response> {
  const first = await reach(address, init);
  if (first.ok) return first;
  const problem = await problemOf(first);
  if (mayBeSignedOut === true) throw problem;
  if (sessionEndings.has(problem.code)) await signInAgain(problem);
  else if (problem.code === 'org_mismatch') await returnToOrg(problem);
  else {
    if (problem.code === 'second_factor_required') factorRequired();
    throw problem;
  }
  const second = await reach(address, init);
  if (!second.ok) throw await problemOf(second);
  return second;
}

const sessionEndings: ReadonlySet<string> = new Set(['token_missing', 'token_invalid', 'token_expired']);

/** Left out where the call asks for the org of the session, or changes it. */
function orgHeader(name: RouteName, { mayBeSignedOut }: Sent): Readonly<Record<string, string>> {
  const org = tabOrg();
  return org === undefined || mayBeSignedOut === true || name === 'switchOrg' ? {} : { 'X-Org': org };
}

function addressOf(path: string, { params = {}, query = {} }: Sent): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return new URL(`.${filled}${searchOf(query)}`, document.baseURI).href;
}
