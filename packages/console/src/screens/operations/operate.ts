/**
 * The one way to the routes of the operator. The key goes out in the header `Authorization` and nowhere else; the session of a
 * builder, where the browser has one, stays behind.
 */
import type { managementApi } from '@freehold/contract/management';
import type { PartsArgument } from '@freehold/contract/parts-argument';
import type { ReplyOf } from '@freehold/contract/route';
import { type Input, type RouteName, requestOf } from '../../api/call.ts';
import { answerOf, reach } from '../../api/http.ts';
import { ApiProblem, problemOf } from '../../api/problem.ts';
import { bearer, createKeyHolder } from './key-holder.ts';

type Api = typeof managementApi;

/** The routes that the operator key opens. */
type OperatorRoute = { [N in RouteName]: Api[N]['access'] extends 'operator' ? N : never }[RouteName];

/** That of this page. */
export const keyHolder = createKeyHolder();

/** Sends a call. @returns the body of the reply. @throws ApiProblem. */
export async function operate<N extends OperatorRoute>(
  name: N,
  ...[input]: PartsArgument<Input<N>>
): Promise<ReplyOf<Api[N]>> {
  const { body } = await answerOf(await succeeded(name, input ?? {}));
  return body as ReplyOf<Api[N]>;
}

/** The body of a reply that is a file, as it comes. @throws ApiProblem. */
export async function operateStream<N extends OperatorRoute>(
  name: N,
  input: Input<N>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { body } = await succeeded(name, input);
  return body ?? new Blob([]).stream();
}

/** A key that is refused is held no longer. */
async function succeeded(name: RouteName, input: Parameters<typeof requestOf>[1]): Promise<Response> {
  const authorization = keyHolder.authorization();
  if (authorization === undefined) throw new ApiProblem(undefined, 'the operations are locked');
  const response = await send(name, input, authorization);
  if (response.status === 401 && keyHolder.authorization() === authorization) keyHolder.lock('refused');
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** Opens the area, if the platform takes the key. @throws ApiProblem. */
export async function unlockWith(key: string): Promise<void> {
  const response = await send('listSigningKeys', {}, bearer(key));
  if (!response.ok) throw await problemOf(response);
  // A reply that is not read keeps its connection.
  await answerOf(response);
  keyHolder.unlock(key);
}

function send(name: RouteName, input: Parameters<typeof requestOf>[1], authorization: string): Promise<Response> {
  const headers = { ...input.headers, Authorization: authorization };
  const { address, init } = requestOf(name, { ...input, headers, mayBeSignedOut: true });
  return reach(address, { ...init, credentials: 'omit', cache: 'no-store', redirect: 'error' });
}
