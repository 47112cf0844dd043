import type { ProblemBody } from '@freehold/contract/problem';
import { CommandError } from '../frame/command-error.ts';

/** What a user does about a refusal, by its code. */
const nextSteps: Readonly<Record<string, string>> = {
  token_missing: 'run `freehold login`',
  token_invalid: 'run `freehold login`: the credential has ended, or is of another platform',
  token_expired: 'run `freehold login`: the session has ended',
  credentials_invalid: 'check the email address and the password',
  role_required: 'ask an org admin, or sign in with a key whose scope allows it',
  org_mismatch: 'the credential is of another org: name another profile with `--profile`',
  prod_read_only: 'change test, and bring the change to production with `freehold deploy`',
  version_mismatch: 'somebody has changed the same in the meantime: run the command again',
  rate_limited: 'wait, and run the command again',
  unavailable: 'wait, and run the command again',
  internal_error: 'give the request id to the operator of the platform, whose log has the cause',
};

/** The refusal of a platform, in its own words. */
export async function refusalOf(response: Response, url: string): Promise<CommandError> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  const body: unknown = isProblem ? await response.json().catch(() => undefined) : undefined;
  if (!isProblemBody(body))
    return new CommandError(`${url} answered with the status ${response.status}, and not as a platform does`, {
      code: 'no_platform',
      status: response.status,
      next: 'check the address: it is that of the management gateway',
    });
  const lines = (body.errors ?? []).map(({ pointer, message }) => `${pointer === '' ? '' : `${pointer}: `}${message}`);
  const next = nextSteps[body.code];
  return new CommandError(body.detail, {
    code: body.code,
    status: body.status,
    requestId: body.request_id,
    ...(lines.length === 0 ? {} : { lines }),
    ...(next === undefined ? {} : { next }),
  });
}

export function unreachable(url: string, error: unknown): CommandError {
  const cause = (error as { readonly cause?: { readonly code?: unknown } } | null)?.cause?.code;
  return new CommandError(`no platform can be reached at ${url}${typeof cause === 'string' ? ` (${cause})` : ''}`, {
    code: 'unreachable',
    next: 'start it, or check the address',
  });
}

function isProblemBody(value: unknown): value is ProblemBody {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'request_id' in value;
}
