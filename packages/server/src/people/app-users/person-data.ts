/** The accounts of a person in an org: found, shown, merged and erased. */

import { Problem } from '../../lib/problem.ts';
import type { PersonAccounts, PersonData } from '../../privacy/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { tokensKeyOf, withNextEpoch } from '../app-tokens.ts';
import type { Homes } from '../homes.ts';
import type { Parts } from '../parts.ts';
import {
  type AppUser,
  appUserPartition,
  appUsers,
  disabledUsers,
  identities,
  identityPartition,
  mergedAccountsMax,
  notFoundByEmail,
  passwordIdentities,
  passwordIdp,
  providerLinkPartition,
  providerLinks,
  providerLinksMax,
  verifiedEmails,
} from './app-user.ts';
import { joinedAccounts, released, suspendedAccounts } from './prove-email.ts';

type PersonAccountsDeps = Pick<Parts, 'revocations'> & { readonly homes: Pick<Homes, 'settle'> };

export function createPersonAccounts({ homes, revocations }: PersonAccountsDeps): PersonAccounts<AppUser> {
  return {
    mergedMax: mergedAccountsMax,
    read: appUsers.read,
    page: (orgScope, range) => appUsers.range(orgScope, appUserPartition, range),
    identities: (orgScope, range) => identities.range(orgScope, identityPartition, range),
    closing: closingChanges,
    requireFree,
    merging: mergingChanges,
    settle: (place, user, caller) => homes.settle(place, user, caller),
    tokensEnded: ({ env, orgCode }, sub) => revocations.bump(tokensKeyOf({ env, org: orgCode, sub })),
    exported: ({ id, email, email_verified, fn, ln, picture, created_at, merged_into, password_hash }) => ({
      ...{ id, email, email_verified, fn, ln, picture, created_at, merged_into },
      has_password: password_hash !== undefined,
    }),
    exportedIdentity: (sk) => {
      const [idp = '', subject = ''] = sk.split(';').map(decodeURIComponent);
      return idp === passwordIdp ? { provider: idp, email: subject } : { provider: idp, subject };
    },
  };
}

/** Sign-ins by a provider and by a password are gone when the accounts end: a job goes through them before. */
export const accountData: PersonData = {
  leftOfAccount: async (orgScope, id) => {
    const links = await providerLinks.range(orgScope, providerLinkPartition(id), { limit: providerLinksMax });
    return links.map(removeAsRead);
  },
  withAccounts: async (orgScope, ids) => {
    const rows = (await appUsers.readMany(orgScope, ids)).filter((row) => row !== undefined);
    const changes: Change[] = [];
    for (const row of rows) changes.push(...(await endingChanges(orgScope, row, new Set(ids))));
    return changes;
  },
};

async function endingChanges(orgScope: Scope, row: Row<AppUser>, ids: ReadonlySet<string>): Promise<readonly Change[]> {
  const { id, email } = row.value;
  const password = await passwordIdentities.read(orgScope, email);
  const verified = await verifiedEmails.read(orgScope, email);
  const isOwn = (one: Row<string> | undefined): one is Row<string> => one !== undefined && ids.has(one.value);
  return [
    removeAsRead(row),
    ...[password, verified].filter(isOwn).map(removeAsRead),
    suspendedAccounts.remove(id, 'any'),
    disabledUsers.remove(id, 'any'),
    ...notFoundByEmail(row.value),
  ];
}

/** From their commit on nothing signs in to the account, and its address is free. */
async function closingChanges(orgScope: Scope, row: Row<AppUser>, at: string) {
  const { password_hash: _, suspended_for, ...user } = row.value;
  const password = await passwordIdentities.read(orgScope, user.email);
  const verified = await verifiedEmails.read(orgScope, user.email);
  const isOwn = (one: Row<string> | undefined): one is Row<string> => one?.value === user.id;
  const other = suspended_for === undefined ? undefined : await appUsers.read(orgScope, suspended_for);
  const changes = [
    appUsers.replace(row, { ...withNextEpoch(user, at), is_erasing: true }),
    ...[password, verified].filter(isOwn).map(removeAsRead),
    ...(suspended_for === undefined ? [] : [suspendedAccounts.remove(user.id, 'any')]),
    ...(other === undefined ? [] : [appUsers.replace(other, released(other.value))]),
  ];
  return { changes, identities: isOwn(password) ? 1 : 0 };
}

/** @throws Problem `conflict` where something else is decided about the account. */
function requireFree({ id, merged_into, is_erasing, suspended_for, suspends }: AppUser): void {
  if (merged_into !== undefined) throw new Problem('conflict', `account \`${id}\` was merged into \`${merged_into}\``);
  if (is_erasing === true) throw new Problem('conflict', `account \`${id}\` is being erased`);
  if (suspended_for !== undefined || suspends !== undefined)
    throw new Problem('conflict', `account \`${id}\` is part of a suspended password: decide that first`);
}

/** The password of the account that ends does not open the other one; its address does, with the other's password. */
async function mergingChanges(
  orgScope: Scope,
  { row, other }: { readonly row: Row<AppUser>; readonly other: Row<AppUser> },
  at: string,
): Promise<readonly Change[]> {
  const { password_hash: _, ...from } = row.value;
  const user = withNextEpoch(other.value, at);
  const { holder, along } = await joinedAccounts(orgScope, { user, row: { ...row, value: from }, at });
  const [password, verified] = [
    await passwordIdentities.read(orgScope, from.email),
    await verifiedEmails.read(orgScope, from.email),
  ];
  const moved = [
    ...(password?.value === from.id ? [passwordIdentities.byKey.replace(password, other.value.id)] : []),
    ...(verified?.value === from.id ? [verifiedEmails.byKey.replace(verified, other.value.id)] : []),
  ];
  return [appUsers.replace(other, holder), ...along, ...moved];
}
