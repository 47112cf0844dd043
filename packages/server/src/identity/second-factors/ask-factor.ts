import type { accountsApi } from '@freehold/contract/management/accounts';
import type { ReplyOf } from '@freehold/contract/route';
import { timestamp } from '../../lib/clock.ts';
import type { SessionHolder } from '../sessions/org-sessions.ts';
import { type PasskeySite, passkeyRequest } from './passkeys.ts';
import type { FactorDeps } from './prove-factor.ts';
import { isProtected, readFactors } from './stored-factors.ts';
import { unlockingMethods } from './wrong-codes.ts';

/** What a sign-in is answered in place of a session, where the account has a second factor. */
export type SignInStep = Extract<ReplyOf<typeof accountsApi.logIn>, { readonly second_factor: unknown }>;

/** Where a sign-in leads, once the factor is proved. */
export interface SignInGoal {
  readonly org?: string | undefined;
  /** The hash of the code of an invitation that is then accepted. */
  readonly invitation?: string | undefined;
  readonly site: PasskeySite | undefined;
}

/** The step that a person has yet to take who has proved the password; undefined where the account has no factor. */
export async function askFactor(
  { platform, steps }: Pick<FactorDeps, 'platform' | 'steps'>,
  { id, session_epoch = 0 }: SessionHolder,
  { org, invitation, site }: SignInGoal,
): Promise<SignInStep | undefined> {
  const factors = await readFactors(platform, id);
  if (factors === undefined || !isProtected(factors)) return undefined;
  const { token, nonce, expiresAt } = steps.make({
    purpose: 'sign-in',
    user: id,
    epoch: session_epoch,
    org,
    invitation,
  });
  const { totp, passkeys, recovery_codes } = factors;
  const isLocked = unlockingMethods(factors, site).length > 0;
  const usable = site === undefined || passkeys.length === 0 ? undefined : site;
  const challenge = (at: PasskeySite) =>
    passkeyRequest(steps.make({ purpose: 'passkey factor', user: id, step: nonce }).token, at, passkeys);
  return {
    second_factor: {
      methods: [
        ...(usable === undefined ? [] : (['passkey'] as const)),
        ...(totp === undefined || isLocked ? [] : (['totp'] as const)),
        ...(recovery_codes.length === 0 ? [] : (['recovery_code'] as const)),
      ],
      token,
      expires_at: timestamp(expiresAt),
      ...(isLocked ? { codes_locked: true as const } : {}),
      ...(usable === undefined ? {} : { passkey: challenge(usable) }),
    },
  };
}
