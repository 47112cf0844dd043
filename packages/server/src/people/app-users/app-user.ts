import type { FoundingMember } from '../../iam/port.ts';
import { emailKey, emailKeys } from '../../lib/formats/email-key.ts';
import { Problem } from '../../lib/problem.ts';
import { escapeKeyValue } from '../../schema/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import {
  type Account,
  accountRows,
  addressTable,
  idRows,
  personGone,
  type Realm,
  type SignInAttempt,
} from '../realm/realm.ts';

/** An app's user in one environment of an org. */
export interface AppUser extends Account {
  readonly email_verified: boolean;
  readonly fn: string;
  readonly ln: string;
  readonly picture?: string;
  /** Counts what ended all tokens of the person at once; a token of an earlier number is dead. Absent is 0. */
  readonly token_epoch?: number;
  /** The time of the last such end; absent where an earlier release did it. */
  readonly tokens_revoked_at?: string;
  readonly created_at: string;
  /** Set while the account opens nothing, by the decision of an org admin. */
  readonly disabled?: Disabled;
  /** The account that has proved the address, for which the password of this one was suspended. */
  readonly suspended_for?: string;
  /** The account whose password was suspended for this one. */
  readonly suspends?: string;
  /** The account that this one has become a part of. */
  readonly merged_into?: string;
  /** The pending changes in the workspaces of another account. */
  readonly unsettled?: Unsettled;
  /** A builder has made the account, and it is not yet in its workspace. */
  readonly is_joining?: true;
  /** A job is removing all that there is of the person: the account opens nothing any more. */
  readonly is_erasing?: true;
}

export interface Disabled {
  readonly at: string;
  /** The org user. */
  readonly by: string;
  readonly reason: string;
}

export interface Unsettled {
  readonly kind: 'suspension' | 'merge';
  readonly user_id: string;
}

export const appUserPartition = 'app-user';

/** By id. */
export const appUsers = table(
  (userId: string) => ({ pk: appUserPartition, sk: userId }),
  accountRows<AppUser>('app user'),
);

export const identityPartition = 'identity';

/** INVARIANT: the key of an identity is who says so and what they call the person, never the email. */
export const identities = table(
  ([idp, subject]: readonly [idp: string, subject: string]) => ({
    pk: identityPartition,
    sk: `${escapeKeyValue(idp)};${escapeKeyValue(subject)}`,
  }),
  idRows('identity', 'user_id'),
);

/** The identity provider's name where the platform itself checked a password. */
export const passwordIdp = 'password';

/** By email address, the account that may sign in with a password. */
export const passwordIdentities = addressTable(
  table((key: string) => identities.key([passwordIdp, key]), idRows('identity', 'user_id')),
);

/** By email address, the account that has proved that it is its own. */
export const verifiedEmails = addressTable(
  table((key: string) => ({ pk: 'verified-email', sk: key }), idRows('verified email', 'user_id')),
);

export const unverifiedPartition = 'unverified-email';

/** By `emailKey`, the accounts that a provider signs in to without a verified address: so that a builder finds them. */
export const unverifiedEmails = table(
  ([key, userId]: readonly [key: string, userId: string]) => ({
    pk: unverifiedPartition,
    sk: `${escapeKeyValue(key)};${userId}`,
  }),
  idRows('unverified email', 'user_id'),
);

/** Has a builder find the account by its address. @param condition `any` where it may be found already. */
export function foundByEmail({ id, email }: Account, condition: 'absent' | 'any'): Change {
  return unverifiedEmails.put([emailKey(email), id], id, { if: condition });
}

/** An account that has verified its address is found by that; earlier releases wrote the spelling of the address. */
export function notFoundByEmail({ id, email }: Account): readonly Change[] {
  return emailKeys(email).map((key) => unverifiedEmails.remove([key, id], 'any'));
}

export const disabledPartition = 'disabled-app-user';

/** By id, the accounts that are disabled: so that a builder lists them. */
export const disabledUsers = table(
  (userId: string) => ({ pk: disabledPartition, sk: userId }),
  idRows('disabled app user', 'user_id'),
);

/** An identity at a provider, as the account has it that it signs in to. */
export interface ProviderLink {
  readonly issuer: string;
  readonly subject: string;
  readonly linked_at: string;
}

/** So many identities of one account are shown, and moved with it. */
export const providerLinksMax = 100;

export const providerLinkPartition = (userId: string): string => `app-user-identity;${userId}`;

export const providerLinks = table(
  ([userId, idp, subject]: readonly [userId: string, idp: string, subject: string]) => ({
    pk: providerLinkPartition(userId),
    sk: identities.key([idp, subject]).sk,
  }),
  json<ProviderLink>('identity of an app user', { issuer: 'string', subject: 'string', linked_at: 'string' }),
);

/** The scope of the users of an app in one environment. */
export interface AppScope {
  readonly orgScope: Scope;
  readonly env: Environment;
}

export function appRealm({ orgScope, env }: AppScope): Realm<AppUser> {
  return {
    scope: orgScope,
    accounts: appUsers,
    addresses: passwordIdentities,
    attemptOf: (email, ip): SignInAttempt => ({
      emailKey: appEmailKey({ orgScope, env }, email),
      ip,
      org: orgScope.name,
    }),
  };
}

export function appEmailKey({ orgScope, env }: AppScope, email: string): string {
  return JSON.stringify([orgScope.name, env, emailKey(email)]);
}

/** An account that is being erased is not there for anybody. */
export async function findAppUser(orgScope: Scope, userId: string): Promise<AppUser | undefined> {
  const user = (await appUsers.read(orgScope, userId))?.value;
  return user?.is_erasing === true ? undefined : user;
}

/** The account that a sign-in leads to: the account that it was made for, or the account that this has become a part of. */
export async function findSignedIn(orgScope: Scope, userId: string): Promise<AppUser | undefined> {
  let user = await findAppUser(orgScope, userId);
  for (let hop = 0; hop < mergedAccountsMax && user?.merged_into !== undefined; hop++)
    user = await findAppUser(orgScope, user.merged_into);
  return user?.merged_into === undefined ? user : undefined;
}

/** So many accounts of one person become one: an account of more is not merged into another. */
export const mergedAccountsMax = 100;

/** @throws Problem `token_invalid` where the person is no more. */
export async function requireAppUser(orgScope: Scope, userId: string): Promise<AppUser> {
  const user = await findAppUser(orgScope, userId);
  if (user === undefined) throw personGone();
  return user;
}

/** Only for callers who have proved to be the user. */
export function accountDisabled(): Problem {
  return new Problem('account_disabled', 'the account is disabled: only an admin of the app’s org can enable it again');
}

export function tokenEpoch(user: AppUser): number {
  return user.token_epoch ?? 0;
}

/**
 * Writes what `change` makes of the person as stored, again where another write came between.
 * @throws Problem `token_invalid` where the person is no more.
 */
export async function changeAppUser(
  orgScope: Scope,
  userId: string,
  change: (user: AppUser) => AppUser,
): Promise<AppUser> {
  const { planned } = await transact(orgScope, async () => {
    const row = await appUsers.read(orgScope, userId);
    if (row === undefined) throw personGone();
    const changed = change(row.value);
    return { changed, changes: [appUsers.replace(row, changed)] };
  });
  return planned.changed;
}

/** A person as the workspaces that he is in know him. */
export function memberOf({ id, email, fn, ln }: FoundingMember): FoundingMember {
  return { id, email, fn, ln };
}
