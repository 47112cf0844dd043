import { type AuditCaller, type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Change, Scope } from '../../store/port.ts';
import { json, type Row, table } from '../../store/table.ts';
import { withNextEpoch } from '../app-tokens.ts';
import type { Renewed } from '../realm/realm.ts';
import {
  type AppUser,
  appUsers,
  disabledUsers,
  notFoundByEmail,
  passwordIdentities,
  providerLinkPartition,
  providerLinks,
  providerLinksMax,
  verifiedEmails,
} from './app-user.ts';

export interface ProofDeps {
  readonly orgScope: Scope;
  readonly clock: Clock;
  readonly auditCaller: AuditCaller;
}

/**
 * The account of a person who has shown to own its address. From then on a provider that verifies the same address signs
 * in to this account, unless another one has proved it before. A password that was chosen under the address without a
 * proof is suspended; where it is that account's own address that is proved now, both accounts become one.
 */
export async function withVerifiedEmail(deps: ProofDeps, user: AppUser): Promise<Renewed<AppUser>> {
  if (user.is_erasing === true) return { holder: user, along: [] };
  if (user.suspended_for !== undefined) return mergedAccounts(deps, user, user.suspended_for);
  const owner = await verifiedEmails.read(deps.orgScope, user.email);
  const verified: AppUser = { ...user, email_verified: true };
  if (owner !== undefined) return { holder: verified, along: [] };
  const proof = verifiedEmails.insert(user.email, user.id);
  const { holder, along } = await suspendPassword(deps, verified);
  return { holder, along: [...proof, ...notFoundByEmail(user), ...along] };
}

/** The org's record of an account whose password is suspended, until the account is merged or removed. */
export interface SuspendedAccount {
  readonly user_id: string;
  readonly email: string;
  /** The account that has verified the address. */
  readonly proved_by: string;
  readonly suspended_at: string;
}

export const suspendedPartition = 'suspended-account';

export const suspendedAccounts = table(
  (userId: string) => ({ pk: suspendedPartition, sk: userId }),
  json<SuspendedAccount>('suspended account', { user_id: 'string', email: 'string', proved_by: 'string' }),
);

/** The account whose password was suspended for this one, as long as it waits for a proof that both are of one person. */
export async function findSuspendedFor(
  orgScope: Scope,
  { suspends }: Pick<AppUser, 'suspends'>,
): Promise<SuspendedAccount | undefined> {
  return suspends === undefined ? undefined : (await suspendedAccounts.read(orgScope, suspends))?.value;
}

/**
 * The account never verified the address, and may be a trap for its owner: its password is disabled, and all its tokens
 * end. Its data stays with it, and no other account gets it before a proof.
 */
async function suspendPassword(
  { orgScope, clock, auditCaller }: ProofDeps,
  holder: AppUser,
): Promise<Renewed<AppUser>> {
  const { row: identity, unchanged } = await passwordIdentities.readUnchanged(orgScope, holder.email);
  const user_id = identity?.value ?? holder.id;
  const row = user_id === holder.id ? undefined : await appUsers.read(orgScope, user_id);
  if (row === undefined) return { holder, along: unchanged };
  const { password_hash: _, ...user } = row.value;
  if (user.email_verified) return { holder, along: unchanged };
  const at = timestamp(clock.now());
  const suspended: AppUser = { ...withNextEpoch(user, at), suspended_for: holder.id };
  const kept: SuspendedAccount = { user_id, email: user.email, proved_by: holder.id, suspended_at: at };
  return {
    holder: { ...holder, suspends: user_id, unsettled: { kind: 'suspension', user_id } },
    along: [
      ...unchanged,
      appUsers.replace(row, suspended),
      suspendedAccounts.insert(user_id, kept),
      accountEntry({ at, ...auditCaller }, 'app_user.password_suspended', { user_id, proved_by: holder.id }),
    ],
  };
}

/**
 * Makes two accounts one, which is the one with the suspended password: what it holds bears its id. Sign-ins to the other
 * lead to it from here on. The old password opens nothing, now as before. Where an admin has disabled either account, the
 * account that both become is disabled.
 */
export async function mergedAccounts(
  { orgScope, clock, auditCaller }: ProofDeps,
  { suspended_for: _, ...user }: AppUser,
  provedBy: string,
): Promise<Renewed<AppUser>> {
  const owner = await verifiedEmails.read(orgScope, user.email);
  const row = await appUsers.read(orgScope, provedBy);
  const at = timestamp(clock.now());
  const verified: AppUser = { ...withNextEpoch(user, at), email_verified: true };
  const known = suspendedAccounts.remove(user.id, 'any');
  if (row === undefined) return { holder: verified, along: [known] };
  const { holder, along } = await joinedAccounts(orgScope, { user: verified, row, at });
  return {
    holder,
    along: [
      known,
      ...along,
      ...(owner === undefined
        ? verifiedEmails.insert(user.email, user.id)
        : [verifiedEmails.byKey.replace(owner, user.id)]),
      accountEntry({ at, ...auditCaller }, 'app_user.merged', {
        user_id: user.id,
        proved_by: provedBy,
      }),
    ],
  };
}

/**
 * Makes the account of the row a part of the other one. The workspaces follow, by what is left unsettled. The caller sees
 * to it that the tokens of the other one end.
 */
export async function joinedAccounts(
  orgScope: Scope,
  { user, row, at }: { readonly user: AppUser; readonly row: Row<AppUser>; readonly at: string },
): Promise<Renewed<AppUser>> {
  const { suspends: _suspends, unsettled: _unsettled, disabled: otherDisabled, ...other } = row.value;
  const merged: AppUser = { ...withNextEpoch(other, at), merged_into: user.id };
  const disabled = user.disabled ?? otherDisabled;
  const unsettled = { kind: 'merge', user_id: other.id } as const;
  return {
    holder: { ...user, ...(disabled === undefined ? {} : { disabled }), unsettled },
    along: [
      appUsers.replace(row, merged),
      disabledUsers.remove(other.id, 'any'),
      ...(disabled === undefined ? [] : [disabledUsers.put(user.id, user.id, { if: 'any' })]),
      ...(await movedLinks(orgScope, other.id, user.id)),
    ],
  };
}

/** The identities of an account, as those of the account that it becomes a part of. */
async function movedLinks(orgScope: Scope, from: string, into: string): Promise<readonly Change[]> {
  const links = await providerLinks.range(orgScope, providerLinkPartition(from), { limit: providerLinksMax });
  return links.flatMap(({ value }) => [
    providerLinks.remove([from, value.issuer, value.subject], 'any'),
    providerLinks.put([into, value.issuer, value.subject], value, { if: 'any' }),
  ]);
}

export function accountEntry(
  auditContext: AuditContext,
  action: string,
  { user_id, proved_by }: Pick<SuspendedAccount, 'user_id' | 'proved_by'>,
): Change {
  return auditEntry(auditContext, { action, target: { kind: 'app_user', id: user_id }, detail: { proved_by } });
}

/** The account without what it had to decide of another one. */
export function released({ suspends: _suspends, unsettled: _unsettled, ...user }: AppUser): AppUser {
  return user;
}
