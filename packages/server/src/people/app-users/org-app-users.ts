/** The accounts of an app's users, for the builders of its org. */

import type { appUsersApi } from '@freehold/contract/management/people/app-users';
import type { ReplyOf } from '@freehold/contract/route';
import { type Audited, auditEntry } from '../../audit/audit-entry.ts';
import { thenBump } from '../../iam/port.ts';
import { emailKeys } from '../../lib/formats/email-key.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import { escapeKeyValue } from '../../schema/port.ts';
import type { Change, Range, Scope } from '../../store/port.ts';
import { transact } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { tokensKeyOf, withNextEpoch } from '../app-tokens.ts';
import type { Homes } from '../homes.ts';
import type { OrgUserCommand } from '../org-users/account.ts';
import type { Parts } from '../parts.ts';
import {
  type AppUser,
  appUsers,
  disabledPartition,
  disabledUsers,
  findAppUser,
  passwordIdentities,
  passwordIdp,
  providerLinkPartition,
  providerLinks,
  providerLinksMax,
  unverifiedEmails,
  unverifiedPartition,
  verifiedEmails,
} from './app-user.ts';
import { suspendedAccounts, suspendedPartition } from './prove-email.ts';

type OrgAppUsersDeps = DisableDeps & Pick<Parts, 'cursors'> & { readonly homes: Pick<Homes, 'membershipsOf'> };

export function createOrgAppUsers(deps: OrgAppUsersDeps) {
  return {
    list: (orgCode: string, query: ListQuery) => listUsers(deps, orgCode, query),
    show: (user: NamedAppUser) => showUser(deps, user),
    disable: (command: AppUserCommand, reason: string) => disableUser(deps, command, reason),
    enable: (command: AppUserCommand, reason: string | undefined) => enableUser(deps, command, reason),
    revokeTokens: (command: AppUserCommand) => revokeTokens(deps, command),
  };
}

interface NamedAppUser {
  readonly orgCode: string;
  readonly env: Environment;
  readonly id: string;
}

interface AppUserCommand extends OrgUserCommand {
  readonly env: Environment;
}

type AppUsersPage = ReplyOf<typeof appUsersApi.listAppUsers>;
type ListedAppUser = AppUsersPage['items'][number];
type ShownAppUser = ReplyOf<typeof appUsersApi.readAppUser>;

interface ListQuery {
  readonly env: Environment;
  readonly q: string | undefined;
  readonly state: 'active' | 'disabled' | 'password_suspended' | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

/** A place among the ids of accounts. */
interface UserEntry {
  readonly sk: string;
  readonly userId: string;
}

/** Accounts in the order of a partition. A search goes through several of them, one after the other. */
interface UserSource {
  readonly read: (orgScope: Scope, range: { readonly after?: string; readonly limit: number }) => Promise<UserEntry[]>;
  /** Which of the accounts are shown here; an account that another source has shown is not shown again. */
  readonly shown?: (orgScope: Scope, users: readonly AppUser[]) => Promise<readonly AppUser[]>;
}

/** One range of keys of each source at most, and one read of the accounts in it, however many the app has. */
async function listUsers(deps: OrgAppUsersDeps, orgCode: string, query: ListQuery): Promise<AppUsersPage> {
  const { env, q = '', state, pageSize, nexttoken } = query;
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const wanted = q.trim();
  const isShown = (user: AppUser): boolean => isListed(user, state);
  if (mayBeId(wanted))
    return { items: (await usersOf(orgScope, [wanted])).filter(isShown).map(listed), nexttoken: null };
  const sources = sourcesOf(wanted, state);
  const binding = ['app-users', orgCode, env, wanted, state ?? ''];
  const seal = (at: number, sk: string): string => deps.cursors.seal(`${at};${sk}`, binding);
  let [at, after]: [at: number, after: string] =
    nexttoken === undefined ? [0, ''] : placeIn(deps.cursors.open(nexttoken, binding));
  const items: ListedAppUser[] = [];
  for (; at < sources.length; at++, after = '') {
    const source = sources[at];
    const room = pageSize - items.length;
    if (source === undefined || room === 0) return { items, nexttoken: seal(at, after) };
    const found = await source.read(orgScope, { ...(after === '' ? {} : { after }), limit: room + 1 });
    const taken = found.slice(0, room);
    const users = await usersOf(
      orgScope,
      taken.map(({ userId }) => userId),
    );
    const own = source.shown === undefined ? users : await source.shown(orgScope, users);
    items.push(...own.filter(isShown).map(listed));
    const last = taken.at(-1);
    if (found.length > room && last !== undefined) return { items, nexttoken: seal(at, last.sk) };
  }
  return { items, nexttoken: null };
}

function placeIn(position: string): [at: number, after: string] {
  const end = position.indexOf(';');
  return [Number(position.slice(0, end)), position.slice(end + 1)];
}

function sourcesOf(q: string, state: ListQuery['state']): readonly UserSource[] {
  if (q !== '') return emailKeys(q).flatMap((prefix) => [verified(prefix), withPassword(prefix), unverified(prefix)]);
  if (state === 'disabled') return [disabled];
  return [state === 'password_suspended' ? suspended : everyone];
}

/** The newest first: an id begins with its time. */
const everyone: UserSource = {
  read: async (orgScope, { after, limit }) => {
    const range = { ...(after === undefined ? {} : { before: after }), limit, reverse: true };
    return (await appUsers.range(orgScope, appUsers.key('any').pk, range)).map(({ sk }) => byId(sk));
  },
};

const disabled: UserSource = {
  read: async (orgScope, range) =>
    (await disabledUsers.range(orgScope, disabledPartition, range)).map(({ sk }) => byId(sk)),
};

const suspended: UserSource = {
  read: async (orgScope, range) =>
    (await suspendedAccounts.range(orgScope, suspendedPartition, range)).map(({ sk }) => byId(sk)),
};

function byId(id: string): UserEntry {
  return { sk: id, userId: id };
}

function verified(prefix: string): UserSource {
  return idRange(verifiedEmails.byKey, verifiedEmails.byKey.key('any').pk, prefix);
}

function withPassword(prefix: string): UserSource {
  const { pk } = passwordIdentities.byKey.key('any');
  return {
    ...idRange(passwordIdentities.byKey, pk, `${escapeKeyValue(passwordIdp)};${escapeKeyValue(prefix)}`),
    shown: withoutVerified,
  };
}

function unverified(prefix: string): UserSource {
  return {
    ...idRange(unverifiedEmails, unverifiedPartition, escapeKeyValue(prefix)),
    shown: withoutVerified,
  };
}

function idRange(
  rows: Pick<typeof verifiedEmails.byKey | typeof unverifiedEmails, 'range'>,
  pk: string,
  prefix: NonNullable<Range['prefix']>,
): UserSource {
  return {
    read: async (orgScope, range) =>
      (await rows.range(orgScope, pk, { ...range, prefix })).map(({ sk, value }) => ({ sk, userId: value })),
  };
}

/** An account that owns its address was found by it before. */
async function withoutVerified(orgScope: Scope, users: readonly AppUser[]): Promise<readonly AppUser[]> {
  if (users.length === 0) return [];
  const owners = await verifiedEmails.readMany(
    orgScope,
    users.map(({ email }) => email),
  );
  return users.filter(({ id }, index) => owners[index]?.value !== id);
}

async function usersOf(orgScope: Scope, ids: readonly string[]): Promise<readonly AppUser[]> {
  if (ids.length === 0) return [];
  return (await appUsers.readMany(orgScope, ids)).flatMap((row) => (row === undefined ? [] : [row.value]));
}

/** An account that has become part of another is no account any more. */
function isListed(user: AppUser, state: ListQuery['state']): boolean {
  const own = stateOf(user);
  return own !== 'merged' && (state === undefined || own === state);
}

function stateOf({ merged_into, disabled, suspended_for, is_erasing }: AppUser): ListedAppUser['state'] {
  if (is_erasing === true) return 'erasing';
  if (merged_into !== undefined) return 'merged';
  if (disabled !== undefined) return 'disabled';
  return suspended_for === undefined ? 'active' : 'password_suspended';
}

function listed(user: AppUser): ListedAppUser {
  const { id, email, email_verified, fn, ln, created_at } = user;
  return { id, email, email_verified, fn, ln, state: stateOf(user), created_at };
}

/** Reads the workspaces that the org remembers the user in, at most 201, and changes nothing. @throws Problem `not_found`. */
async function showUser({ stores, homes }: OrgAppUsersDeps, { orgCode, env, id }: NamedAppUser): Promise<ShownAppUser> {
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const user = mayBeId(id) ? await findAppUser(orgScope, id) : undefined;
  if (user === undefined) throw notFound();
  const links = await providerLinks.range(orgScope, providerLinkPartition(id), { limit: providerLinksMax });
  const memberships = await homes.membershipsOf({ env, orgCode }, id);
  return {
    ...listed(user),
    has_password: user.password_hash !== undefined,
    providers: links.map(({ value }) => value),
    tokens_revoked_at: user.tokens_revoked_at ?? null,
    disabled: user.disabled ?? null,
    proved_by: user.suspended_for ?? null,
    suspends: user.suspends ?? null,
    merged_into: user.merged_into ?? null,
    memberships,
  };
}

type DisableDeps = Pick<Parts, 'stores' | 'revocations'>;

/** The account is shut by the same commit that ends its tokens, so that no token is made between the two. */
export function disableUser(deps: DisableDeps, command: AppUserCommand, reason: string): Promise<void> {
  const { id, auditContext } = command;
  const { at, actor } = auditContext;
  return changeUser(deps, command, { action: 'app_user.disabled', detail: { reason } }, (user) => {
    if (user.disabled !== undefined) throw new Problem('conflict', 'the account is disabled already');
    const changed = { ...withNextEpoch(user, at), disabled: { at, by: actor.id, reason } };
    return { changed, along: [disabledUsers.put(id, id, { if: 'any' })] };
  });
}

export function enableUser(deps: DisableDeps, command: AppUserCommand, reason: string | undefined): Promise<void> {
  const detail = reason === undefined ? {} : { detail: { reason } };
  return changeUser(deps, command, { action: 'app_user.enabled', ...detail }, ({ disabled, ...user }) => {
    if (disabled === undefined) throw new Problem('conflict', 'the account is not disabled');
    return { changed: user, along: [disabledUsers.remove(command.id, 'any')] };
  });
}

export function revokeTokens(deps: DisableDeps, command: AppUserCommand): Promise<void> {
  const { at } = command.auditContext;
  return changeUser(deps, command, { action: 'app_user.tokens_revoked' }, (user) => ({
    changed: withNextEpoch(user, at),
    along: [],
  }));
}

interface ChangedUser {
  readonly changed: AppUser;
  readonly along: readonly Change[];
}

/** @throws Problem `not_found`, `conflict` for an account that has become part of another. */
async function changeUser(
  { stores, revocations }: DisableDeps,
  { orgCode, env, id, auditContext }: AppUserCommand,
  recordedEntry: Pick<Audited, 'action' | 'detail'>,
  change: (user: AppUser) => ChangedUser,
): Promise<void> {
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const entry = auditEntry(auditContext, { ...recordedEntry, target: { kind: 'app_user', id }, env });
  await thenBump(revocations, tokensKeyOf({ env, org: orgCode, sub: id }), () =>
    transact(orgScope, async () => {
      const row = mayBeId(id) ? await appUsers.read(orgScope, id) : undefined;
      if (row === undefined || row.value.is_erasing === true) throw notFound();
      const { merged_into } = row.value;
      if (merged_into !== undefined)
        throw new Problem('conflict', `the account has become part of the account \`${merged_into}\``);
      const { changed, along } = change(row.value);
      return { changes: [appUsers.replace(row, changed), ...along, entry] };
    }),
  );
}
