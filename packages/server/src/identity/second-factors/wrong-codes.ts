/** What wrong codes of an authenticator app lead to. They are counted in the row of the factors, so on every node. */
import { platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { rateLimited } from '../../lib/throttle.ts';
import type { Change, Scope } from '../../store/port.ts';
import { membershipsOf, orgUsers } from '../org-users/account.ts';
import type { StoredFactors } from './stored-factors.ts';

/** So many in a row, and no other code is taken before a passkey or a recovery code was used. */
const wrongCodesMax = 10;

const pauseMilliseconds = 15 * 60 * 1000;
const pauseMillisecondsMax = 24 * 60 * 60 * 1000;

/** What unlocks the codes of an account; empty where they are not locked, and where the account has nothing else to prove. */
export function unlockingMethods(
  { failures, passkeys, recovery_codes }: StoredFactors,
  site: object | undefined,
): readonly ('passkey' | 'recovery_code')[] {
  if (failures === undefined || failures.count < wrongCodesMax) return [];
  return [
    ...(passkeys.length > 0 && site !== undefined ? (['passkey'] as const) : []),
    ...(recovery_codes.length > 0 ? (['recovery_code'] as const) : []),
  ];
}

const methodNames = { passkey: 'a passkey', recovery_code: 'a recovery code' } as const;

/**
 * An account without another factor waits twice as long after each wrong code, since it must not be locked for ever.
 * @throws Problem `second_factor_locked`, `rate_limited`.
 */
export function requireOpenCodes(factors: StoredFactors, site: object | undefined, now: number): void {
  const { failures } = factors;
  if (failures === undefined || failures.count < wrongCodesMax) return;
  const methods = unlockingMethods(factors, site);
  if (methods.length > 0) {
    const sentence = `no code is taken after ${wrongCodesMax} wrong ones: use ${waysOf(methods)}`;
    throw new Problem('second_factor_locked', sentence, { methods });
  }
  const pause = Math.min(pauseMilliseconds * 2 ** (failures.count - wrongCodesMax), pauseMillisecondsMax);
  // A time ahead of now means that the clock was set back, which must not hold for longer.
  const wait = Math.min(pause, Date.parse(failures.since) + pause - now);
  if (wait > 0) throw rateLimited('too many wrong codes for this account', wait);
}

export function withWrongCode(factors: StoredFactors, now: number): StoredFactors {
  return { ...factors, failures: { count: (factors.failures?.count ?? 0) + 1, since: timestamp(now) } };
}

/** What is to be written and mailed when codes get locked. */
export interface CodesLocked {
  readonly to: string;
  readonly sentence: string;
  readonly entries: readonly Change[];
}

interface WrongCode {
  readonly userId: string;
  readonly requestId: string;
  readonly site: object | undefined;
  readonly now: number;
}

/** The audit entries in all orgs of the account: undefined where these wrong codes lock nothing now. */
export async function codesLocked(
  platform: Scope,
  factors: StoredFactors,
  { userId, requestId, site, now }: WrongCode,
): Promise<CodesLocked | undefined> {
  if (factors.failures?.count !== wrongCodesMax) return undefined;
  const account = (await orgUsers.read(platform, userId))?.value;
  if (account === undefined) return undefined;
  const actor = { kind: 'org_user', id: userId } as const;
  const auditContext = { at: timestamp(now), actor, request_id: requestId };
  const audited = { action: 'second_factor.codes_locked', target: actor, detail: { wrong_codes: wrongCodesMax } };
  const orgs = await membershipsOf(platform, userId);
  return {
    to: account.email,
    sentence: noticeOf(unlockingMethods(factors, site)),
    entries: orgs.map(({ sk }) => platformAuditEntry(sk, auditContext, audited)),
  };
}

/** For the mail to the account. */
function noticeOf(methods: readonly (keyof typeof methodNames)[]): string {
  const wrong = `${wrongCodesMax} wrong codes in a row were entered for your account, after its password.`;
  if (methods.length > 0)
    return `${wrong} No code of your authenticator app is taken until you use ${waysOf(methods)}.`;
  return `${wrong} Codes of your authenticator app now have to wait, longer after each wrong one.`;
}

function waysOf(methods: readonly (keyof typeof methodNames)[]): string {
  return methods.map((method) => methodNames[method]).join(' or ');
}
