import { FreeholdError } from '@freehold/client/management';
import type { ProblemBody } from '@freehold/contract/problem';
import type { CommandError } from '../frame/command-error.ts';
import { isObject } from '../json-object.ts';
import { refusalOf } from '../management/refusal.ts';

/** The refusal that a reply of the app gateway is. */
export async function refusedReply(response: Response): Promise<CommandError> {
  const { status, headers } = response;
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true;
  const body: unknown = isProblem ? await response.json().catch(() => undefined) : undefined;
  const detail = `the reply has the status ${status} and no explanation`;
  const isRead = isObject(body) && 'code' in body && 'detail' in body;
  return refusalOf(
    new FreeholdError({ problem: isRead ? (body as unknown as ProblemBody) : undefined, status, detail }),
  );
}
