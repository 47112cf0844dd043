import type { suspendedAccountsApi } from '@freehold/contract/management/suspended-accounts';
import type { ReplyOf } from '@freehold/contract/route';
import { notFound } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { removeAsRead } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { tokensKeyOf } from '../app-tokens.ts';
import type { Homes } from '../homes.ts';
import type { OrgUserCommand } from '../org-users/account.ts';
import type { Parts } from '../parts.ts';
import { type AppUser, appUsers, disabledUsers, findAppUser, passwordIdentities } from './app-user.ts';
import { accountEntry, mergedAccounts, released, suspendedAccounts, suspendedPartition } from './prove-email.ts';

interface SuspendedQuery {
  readonly env: Environment;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

type SuspendedAccountsDeps = Pick<Parts, 'clock' | 'stores' | 'cursors' | 'revocations'> & {
  readonly homes: Pick<Homes, 'settle' | 'endMemberships'>;
};

/** The accounts of an app whose passwords are suspended, for an admin who knows whose they are where no mail can tell. */
export function createSuspendedAccounts(deps: SuspendedAccountsDeps) {
  return {
    list: (orgCode: string, query: SuspendedQuery) => listAccounts(deps, orgCode, query),
    /** Makes both accounts one; may be repeated until it is done. @throws Problem `not_found`. */
    merge: (command: OrgUserCommand) => mergeAccount(deps, command),
    /** Ends the account and its memberships; may be repeated. @throws Problem `not_found`, `last_admin`. */
    remove: (command: OrgUserCommand) => removeAccount(deps, command),
  };
}

async function listAccounts(
  { stores, cursors }: SuspendedAccountsDeps,
  orgCode: string,
  { env, pageSize, nexttoken }: SuspendedQuery,
) {
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

interface SuspendedUser {
  readonly env: Environment;
  readonly orgScope: Scope;
  readonly user: AppUser;
}

/** An account of either environment that is suspended, or was and is not settled. @throws Problem `not_found`. */
async function findSuspended(
  { stores }: SuspendedAccountsDeps,
  { orgCode, id }: OrgUserCommand,
): Promise<SuspendedUser> {
  if (!mayBeId(id)) throw notFound();
  for (const env of ['test', 'prod'] as const) {
    const orgScope = stores[env].scope(orgScopeName(orgCode));
    const user = await findAppUser(orgScope, id);
    if (user?.suspended_for !== undefined || user?.unsettled?.kind === 'merge') return { env, orgScope, user };
  }
  throw notFound();
}

async function mergeAccount(
  deps: SuspendedAccountsDeps,
  command: OrgUserCommand,
): Promise<ReplyOf<typeof suspendedAccountsApi.mergeSuspendedAccount>> {
  const { orgCode, id, auditContext } = command;
  const { env, orgScope } = await findSuspended(deps, command);
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
  await deps.homes.settle({ env, orgCode, requestId: auditContext.request_id }, merged, auditContext);
  return { env, user_id: id, email: merged.email };
}

/** The memberships go first and the account last, so that what is cut off can be done again. */
async function removeAccount(deps: SuspendedAccountsDeps, command: OrgUserCommand): Promise<void> {
  const { orgCode, id, auditContext: auditCaller } = command;
  const { env, orgScope, user } = await findSuspended(deps, command);
  if (user.suspended_for === undefined) throw notFound();
  await deps.homes.endMemberships({ env, orgCode }, id, auditCaller);
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
