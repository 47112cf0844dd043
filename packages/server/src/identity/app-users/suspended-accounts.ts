import { type AccessEpochs, removalChanges } from '../../iam/port.ts';
import { notFound } from '../../lib/problem.ts';
import type { Cursors } from '../../records/port.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { AskedPlace } from '../org-users/account.ts';
import { emailKey } from '../people/email.ts';
import { tokensKeyOf } from '../sessions/ended-tokens.ts';
import { commitPlanned, tryCommit } from '../workspaces/commits.ts';
import { forgetChange } from '../workspaces/membership-hints.ts';
import type { MembershipParts } from '../workspaces/memberships.ts';
import { type AppUser, appUserKey, findAppUser, identityKey, passwordIdp } from './app-users.ts';
import { mergedAccounts, type SuspendedAccount, suspendedKey, suspendedPartition, told } from './prove-email.ts';
import { commitIn, settleAccounts, workspacesOf } from './settle-accounts.ts';

/** The accounts of an app whose passwords are suspended, for an admin who knows whose they are where no mail can tell. */
export interface SuspendedAccounts {
  list(orgCode: string, query: SuspendedQuery): Promise<SuspendedPage>;
  /** Makes both accounts one; may be repeated until it is done. @throws Problem `not_found`. */
  merge(place: AskedPlace): Promise<MergedAccount>;
  /** Ends the account and its memberships; may be repeated. @throws Problem `not_found`, `last_admin`. */
  remove(place: AskedPlace): Promise<void>;
}

export interface SuspendedQuery {
  readonly env: Environment;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

export interface SuspendedPage {
  readonly items: readonly (SuspendedAccount & { readonly env: Environment })[];
  readonly nexttoken: string | null;
}

export interface MergedAccount {
  readonly env: Environment;
  readonly user_id: string;
  readonly email: string;
}

export interface SuspendedAccountsParts extends MembershipParts {
  readonly cursors: Cursors;
  /** See `AppSessionsParts`. */
  readonly endings: AccessEpochs;
}

export function createSuspendedAccounts(parts: SuspendedAccountsParts): SuspendedAccounts {
  return {
    list: (orgCode, query) => listAccounts(parts, orgCode, query),
    merge: (place) => mergeAccount(parts, place),
    remove: (place) => removeAccount(parts, place),
  };
}

async function listAccounts(
  { stores, cursors }: SuspendedAccountsParts,
  orgCode: string,
  { env, pageSize, nexttoken }: SuspendedQuery,
): Promise<SuspendedPage> {
  const binding = ['suspended-accounts', orgCode, env];
  const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
  const rows = await stores[env]
    .scope(orgScopeName(orgCode))
    .range(suspendedPartition, { ...after, limit: pageSize + 1 });
  const shown = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ value }) => ({ env, ...(JSON.parse(value) as SuspendedAccount) })),
    nexttoken: last === undefined ? null : cursors.seal(last.sk, binding),
  };
}

interface Found {
  readonly env: Environment;
  readonly orgScope: Scope;
  readonly user: AppUser;
}

/** An account of either environment that is suspended, or was and is not settled. @throws Problem `not_found`. */
async function findSuspended({ stores }: MembershipParts, { orgCode, id }: AskedPlace): Promise<Found> {
  if (!mayBeId(id)) throw notFound();
  for (const env of ['test', 'prod'] as const) {
    const orgScope = stores[env].scope(orgScopeName(orgCode));
    const user = await findAppUser(orgScope, id);
    if (user?.suspended_for !== undefined || user?.unsettled?.kind === 'merge') return { env, orgScope, user };
  }
  throw notFound();
}

async function mergeAccount(parts: SuspendedAccountsParts, asked: AskedPlace): Promise<MergedAccount> {
  const { orgCode, id, occasion } = asked;
  const { env, orgScope } = await findSuspended(parts, asked);
  let merged: AppUser | undefined;
  await commitPlanned(orgScope, async () => {
    const [item] = await orgScope.get([appUserKey(id)]);
    if (item === undefined) throw notFound();
    merged = JSON.parse(item.value) as AppUser;
    if (merged.suspended_for === undefined) return [];
    const proof = await mergedAccounts(
      { orgScope, clock: parts.clock, asking: occasion },
      merged,
      merged.suspended_for,
    );
    merged = proof.holder;
    const put: Change = {
      kind: 'put',
      ...appUserKey(id),
      value: JSON.stringify(merged),
      if: { version: item.version },
    };
    return [put, ...proof.along];
  });
  if (merged === undefined) throw new TypeError('a commit was planned');
  for (const sub of [id, merged.unsettled?.user_id ?? id]) parts.endings.bump(tokensKeyOf({ env, org: orgCode, sub }));
  await settleAccounts(parts, { env, orgCode, requestId: occasion.request_id }, merged, occasion);
  return { env, user_id: id, email: merged.email };
}

/** The memberships go first and the account last, so that what is cut off can be done again. */
async function removeAccount(parts: SuspendedAccountsParts, asked: AskedPlace): Promise<void> {
  const { orgCode, id, occasion: asking } = asked;
  const { env, orgScope, user } = await findSuspended(parts, asked);
  if (user.suspended_for === undefined) throw notFound();
  const workspaces = await workspacesOf({ parts, place: { env, orgCode }, orgScope }, id);
  // Where one of them would be left without an admin, the account keeps all of them.
  for (const workspace of workspaces) await removalChanges(parts, { workspace, userId: id, asking });
  for (const workspace of workspaces) {
    await commitIn(workspace, () => removalChanges(parts, { workspace, userId: id, asking }));
    await tryCommit(orgScope, [forgetChange(id, workspace.tenantCode)]);
  }
  await commitPlanned(orgScope, async () => {
    const [item, other] = await orgScope.get([appUserKey(id), appUserKey(user.suspended_for ?? id)]);
    const stood = item === undefined ? undefined : (JSON.parse(item.value) as AppUser);
    if (item === undefined || stood?.suspended_for === undefined) throw notFound();
    return [
      { kind: 'remove', ...appUserKey(id), if: { version: item.version } },
      { kind: 'remove', ...identityKey(passwordIdp, emailKey(stood.email)), if: 'any' },
      { kind: 'remove', ...suspendedKey(id), if: 'any' },
      ...released(other),
      told(asking, 'app_user.removed', { user_id: id, proved_by: stood.suspended_for }),
    ];
  });
}

function released(item: { readonly value: string; readonly version: number } | undefined): readonly Change[] {
  if (item === undefined) return [];
  const { suspends: _suspends, unsettled: _unsettled, ...user } = JSON.parse(item.value) as AppUser;
  return [{ kind: 'put', ...appUserKey(user.id), value: JSON.stringify(user), if: { version: item.version } }];
}
