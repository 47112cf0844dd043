import { type Asking, auditEntry, type Occasion } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Change, Key, Scope } from '../../store/port.ts';
import { emailKey } from '../people/email.ts';
import { withNextEpoch } from '../sessions/ended-tokens.ts';
import { type AppUser, appUserKey, identityKey, passwordIdp } from './app-users.ts';
import { verifiedEmailKey } from './verified-email.ts';

/** An account as it is from a commit on, and what is to be committed with it. */
export interface Proof {
  readonly holder: AppUser;
  readonly along: readonly Change[];
}

export interface ProofParts {
  readonly orgScope: Scope;
  readonly clock: Clock;
  readonly asking: Asking;
}

/**
 * The account of a person who has shown to own its address. From then on a provider that verifies the same address signs
 * in to this account, unless another one has proved it before. A password that was chosen under the address without a
 * proof is suspended; where it is that account's own address that is proved now, both accounts become one.
 */
export async function withVerifiedEmail(parts: ProofParts, user: AppUser): Promise<Proof> {
  if (user.suspended_for !== undefined) return mergedAccounts(parts, user, user.suspended_for);
  const key = verifiedEmailKey(user.email);
  const [owner] = await parts.orgScope.get([key]);
  const verified: AppUser = { ...user, email_verified: true };
  if (owner !== undefined) return { holder: verified, along: [] };
  const proof: Change = { kind: 'put', ...key, value: JSON.stringify({ user_id: user.id }), if: 'absent' };
  const { holder, along } = await suspendPassword(parts, verified);
  return { holder, along: [proof, ...along] };
}

/** What an org keeps of an account whose password is suspended, until it is one with the other or removed. */
export interface SuspendedAccount {
  readonly user_id: string;
  readonly email: string;
  /** The account that has proved the address. */
  readonly proved_by: string;
  readonly suspended_at: string;
}

export const suspendedPartition = 'suspended-account';

export function suspendedKey(userId: string): Key {
  return { pk: suspendedPartition, sk: userId };
}

/**
 * Somebody only said that the address was his, perhaps to lie in wait for its owner: the password opens nothing any more,
 * and all tokens end. What the account holds stays its own, and is nobody else's before a proof.
 */
async function suspendPassword({ orgScope, clock, asking }: ProofParts, holder: AppUser): Promise<Proof> {
  const key = identityKey(passwordIdp, emailKey(holder.email));
  const [identity] = await orgScope.get([key]);
  if (identity === undefined) return { holder, along: [{ kind: 'check', ...key, if: 'absent' }] };
  const { user_id } = JSON.parse(identity.value) as { readonly user_id: string };
  const unchanged: Change = { kind: 'check', ...key, if: { version: identity.version } };
  const [item] = user_id === holder.id ? [] : await orgScope.get([appUserKey(user_id)]);
  if (item === undefined) return { holder, along: [unchanged] };
  const { password_hash: _, ...user } = JSON.parse(item.value) as AppUser;
  if (user.email_verified) return { holder, along: [unchanged] };
  const suspended: AppUser = { ...withNextEpoch(user), suspended_for: holder.id };
  const at = timestamp(clock.now());
  const kept: SuspendedAccount = { user_id, email: user.email, proved_by: holder.id, suspended_at: at };
  return {
    holder: { ...holder, suspends: user_id, unsettled: { kind: 'suspension', user_id } },
    along: [
      unchanged,
      { kind: 'put', ...appUserKey(user_id), value: JSON.stringify(suspended), if: { version: item.version } },
      { kind: 'put', ...suspendedKey(user_id), value: JSON.stringify(kept), if: 'absent' },
      told({ at, ...asking }, 'app_user.password_suspended', { user_id, proved_by: holder.id }),
    ],
  };
}

/**
 * Makes two accounts one, which is the one with the suspended password: what it holds bears its id. Sign-ins to the other
 * lead to it from here on. The old password opens nothing, now as before.
 */
export async function mergedAccounts(
  { orgScope, clock, asking }: ProofParts,
  { suspended_for: _, ...user }: AppUser,
  provedBy: string,
): Promise<Proof> {
  const [item, owner] = await orgScope.get([appUserKey(provedBy), verifiedEmailKey(user.email)]);
  const verified: AppUser = { ...withNextEpoch(user), email_verified: true };
  const known: Change = { kind: 'remove', ...suspendedKey(user.id), if: 'any' };
  if (item === undefined) return { holder: verified, along: [known] };
  const { suspends: _suspends, unsettled: _unsettled, ...other } = JSON.parse(item.value) as AppUser;
  const merged: AppUser = { ...withNextEpoch(other), merged_into: user.id };
  const value = JSON.stringify({ user_id: user.id });
  const isOwner = owner === undefined ? 'absent' : { version: owner.version };
  return {
    holder: { ...verified, unsettled: { kind: 'merge', user_id: provedBy } },
    along: [
      known,
      { kind: 'put', ...appUserKey(provedBy), value: JSON.stringify(merged), if: { version: item.version } },
      { kind: 'put', ...verifiedEmailKey(user.email), value, if: isOwner },
      told({ at: timestamp(clock.now()), ...asking }, 'app_user.merged', { user_id: user.id, proved_by: provedBy }),
    ],
  };
}

export function told(
  occasion: Occasion,
  action: string,
  { user_id, proved_by }: Pick<SuspendedAccount, 'user_id' | 'proved_by'>,
): Change {
  return auditEntry(occasion, { action, target: { kind: 'app_user', id: user_id }, detail: { proved_by } });
}
