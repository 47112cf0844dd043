import type { FreeholdError } from '@freehold/client/management';
import { CommandError } from '../frame/command-error.ts';

/** The user's remedy for a refusal, by its code. */
const nextSteps: Readonly<Record<string, string>> = {
  token_missing: 'run `freehold login`',
  token_invalid: 'run `freehold login`: the credential has ended, or is of another platform',
  token_expired: 'run `freehold login`: the session has ended',
  credentials_invalid: 'check the email address and the password',
  role_required: 'ask an org admin, or sign in with a key whose scope allows it',
  org_mismatch: 'the credential is of another org: name another profile with `--profile`',
  prod_read_only: 'change test, and bring the change to production with `freehold deploy`',
  version_mismatch: 'the same was changed in the meantime: run the command again',
  rate_limited: 'wait, and run the command again',
  unavailable: 'wait, and run the command again',
  outcome_unknown: 'look whether the change was made before you run the command again',
  internal_error: 'give the request id to the operator of the platform, whose log has the cause',
  unexpected_reply: 'check the address: it is that of the gateway',
};

/** The refusal of a platform, in its own words, and the next step. */
export function refusalOf(error: FreeholdError): CommandError {
  if (error.cause instanceof CommandError) return error.cause;
  const { code, status, requestId, errors, uncertain } = error;
  const lines = errors.map(({ pointer, message }) => `${pointer === '' ? '' : `${pointer}: `}${message}`);
  if (uncertain) lines.push('the platform may have made the change all the same: look before you repeat it');
  const next = nextSteps[code];
  return new CommandError(error.detail, {
    code,
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(lines.length === 0 ? {} : { lines }),
    ...(next === undefined ? {} : { next }),
  });
}
