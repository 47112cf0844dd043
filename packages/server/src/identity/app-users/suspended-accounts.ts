import type { suspendedAccountsApi } from '@freehold/contract/management/suspended-accounts';
import type { ReplyOf } from '@freehold/contract/route';
import { type AccessEpochs, removalChanges } from '../../iam/port.ts';
import { notFound } from '../../lib/problem.ts';
import type { Cursors } from '../../records/port.ts';
import { mayBeId } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { removeAsRead } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { OrgUserCommand } from '../org-users/account.ts';
import { tokensKeyOf } from '../sessions/ended-tokens.ts';
import { forgetChange } from '../workspaces/membership-hints.ts';
import type { MembershipDeps } from '../workspaces/memberships.ts';
import { type AppUser, appUsers, disabledUsers, findAppUser, passwordIdentities } from './app-user.ts';
import {
  accountEntry,
  mergedAccounts,
  type SuspendedAccount,
  suspendedAccounts,
  suspendedPartition,
} from './prove-email.ts';
import { commitIn, settleAccounts, workspacesOf } from './settle-accounts.ts';

/** The accounts of an app whose passwords are suspended, for an admin who knows whose they are where no mail can tell. */
interface SuspendedAccounts {
  list(orgCode: string, query: SuspendedQuery): Promise<SuspendedPage>;
  /** Makes both accounts one; may be repeated until it is done. @throws Problem `not_found`. */
  merge(command: OrgUserCommand): Promise<MergedAccount>;
  /** Ends the account and its memberships; may be repeated. @throws Problem `not_found`, `last_admin`. */
  remove(command: OrgUserCommand): Promise<void>;
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

export type MergedAccount = ReplyOf<typeof suspendedAccountsApi.mergeSuspendedAccount>;

export interface SuspendedAccountsDeps extends MembershipDeps {
  readonly cursors: Cursors;
  /** See `SessionDeps`. */
  readonly revocations: AccessEpochs;
}

export function createSuspendedAccounts(deps: SuspendedAccountsDeps): SuspendedAccounts {
  return {
    list: (orgCode, query) => listAccounts(deps, orgCode, query),
    merge: (place) => mergeAccount(deps, place),
    remove: (place) => removeAccount(deps, place),
  };
}

async function listAccounts(
  { stores, cursors }: SuspendedAccountsDeps,
  orgCode: string,
  { env, pageSize, nexttoken }: SuspendedQuery,
): Promise<SuspendedPage> {
  const binding = ['suspended-accounts', orgCode, env];
  const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const rows = await suspendedAccounts.range(orgScope, suspendedPartition, { ...after, limit: pageSize + 1 });
  const shown = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ value }) => ({ env, ...value })),
    nexttoken: last === undefined ? null : cursors.seal(last.sk, binding),
  };
}

interface Found {
  readonly env: Environment;
  readonly orgScope: Scope;
  readonly user: AppUser;
}

/** An account of either environment that is suspended, or was and is not settled. @throws Problem `not_found`. */
async function findSuspended({ stores }: MembershipDeps, { orgCode, id }: OrgUserCommand): Promise<Found> {
  if (!mayBeId(id)) throw notFound();
  for (const env of ['test', 'prod'] as const) {
    const orgScope = stores[env].scope(orgScopeName(orgCode));
    const user = await findAppUser(orgScope, id);
    if (user?.suspended_for !== undefined || user?.unsettled?.kind === 'merge') return { env, orgScope, user };
  }
  throw notFound();
}

async function mergeAccount(deps: SuspendedAccountsDeps, asked: OrgUserCommand): Promise<MergedAccount> {
  const { orgCode, id, auditContext } = asked;
  const { env, orgScope } = await findSuspended(deps, asked);
  const { planned } = await transact(orgScope, async () => {
    const row = await appUsers.read(orgScope, id);
    if (row === undefined) throw notFound();
    const { suspended_for } = row.value;
    if (suspended_for === undefined) return { merged: row.value, changes: [] };
    const proof = { orgScope, clock: deps.clock, auditCaller: auditContext };
    const { holder, along } = await mergedAccounts(proof, row.value, suspended_for);
    return { merged: holder, changes: [appUsers.replace(row, holder), ...along] };
  });
  const { merged } = planned;
  for (const sub of [id, merged.unsettled?.user_id ?? id])
    deps.revocations.bump(tokensKeyOf({ env, org: orgCode, sub }));
  await settleAccounts(deps, { env, orgCode, requestId: auditContext.request_id }, merged, auditContext);
  return { env, user_id: id, email: merged.email };
}

/** The memberships go first and the account last, so that what is cut off can be done again. */
async function removeAccount(deps: SuspendedAccountsDeps, asked: OrgUserCommand): Promise<void> {
  const { orgCode, id, auditContext: auditCaller } = asked;
  const { env, orgScope, user } = await findSuspended(deps, asked);
  if (user.suspended_for === undefined) throw notFound();
  const workspaces = await workspacesOf({ deps, place: { env, orgCode }, orgScope }, id);
  // Where one of them would be left without an admin, the account keeps all of them.
  for (const workspace of workspaces) await removalChanges(deps, { workspace, userId: id, auditCaller });
  for (const workspace of workspaces) {
    await commitIn(workspace, () => removalChanges(deps, { workspace, userId: id, auditCaller }));
    await tryCommit(orgScope, [forgetChange(id, workspace.tenantCode)]);
  }
  await transact(orgScope, async () => {
    const [row, other] = await appUsers.readMany(orgScope, [id, user.suspended_for ?? id]);
    const password = await passwordIdentities.read(orgScope, user.email);
    const proved_by = row?.value.suspended_for;
    if (row === undefined || proved_by === undefined) throw notFound();
    const changes = [
      removeAsRead(row),
      ...(password?.value === id ? [removeAsRead(password)] : []),
      suspendedAccounts.remove(id, 'any'),
      disabledUsers.remove(id, 'any'),
      ...(other === undefined ? [] : [appUsers.replace(other, released(other.value))]),
      accountEntry(auditCaller, 'app_user.removed', { user_id: id, proved_by }),
    ];
    return { changes };
  });
}

export function released({ suspends: _suspends, unsettled: _unsettled, ...user }: AppUser): AppUser {
  return user;
}
