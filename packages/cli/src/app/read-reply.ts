import { FreeholdError } from '@freehold/client/management';
import type { ProblemBody } from '@freehold/contract/problem';
import type { CommandError } from '../frame/command-error.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { refusalOf } from '../management/refusal.ts';
import { parseExactly } from './exact-json.ts';

/** The refusal that a reply of the app gateway is. */
export async function refusedReply(response: Response): Promise<CommandError> {
  const { status } = response;
  const isProblem = typeOf(response) === 'application/problem+json';
  const body: unknown = isProblem ? await response.json().catch(() => undefined) : undefined;
  const detail = `the reply has the status ${status} and no explanation`;
  const isRead = isObject(body) && 'code' in body && 'detail' in body;
  return refusalOf(
    new FreeholdError({ problem: isRead ? (body as unknown as ProblemBody) : undefined, status, detail }),
  );
}

/** @throws CommandError for a success of another type, as captive portals and proxies answer with pages of their own. */
export function assertOfType(response: Response, type: string, isChange: boolean): void {
  if (response.status === 204 && isChange) return;
  const found = typeOf(response);
  if (found === type) return;
  const detail = `the reply has ${found === '' ? 'no content type' : `the content type \`${found}\``}`;
  throw unexpected(response, `${detail}, so it is not from the platform`, isChange);
}

/** The JSON object of a success; empty for one without a body. @throws CommandError for any other. */
export async function jsonObjectOf(response: Response, isChange: boolean): Promise<JsonObject> {
  assertOfType(response, 'application/json', isChange);
  if (response.status === 204) return {};
  const body: unknown = await response
    .text()
    .then(parseExactly)
    .catch(() => undefined);
  if (isObject(body)) return body;
  throw unexpected(response, 'the reply is not as the platform answers', isChange);
}

function typeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').replace(/;.*/, '').trim().toLowerCase();
}

function unexpected({ status }: Response, detail: string, uncertain: boolean): CommandError {
  return refusalOf(new FreeholdError({ status, code: 'unexpected_reply', detail, uncertain }));
}
