import { type Audited, auditEntry } from '../../../audit/audit-entry.ts';
import { type AccessEpochs, thenBump } from '../../../iam/port.ts';
import { notFound, Problem } from '../../../lib/problem.ts';
import { type Cursors, mayBeId } from '../../../records/port.ts';
import type { Change, Store } from '../../../store/port.ts';
import { transact } from '../../../store/transact.ts';
import { type Environment, orgScopeName } from '../../../tenancy/port.ts';
import { tokensKeyOf, withNextEpoch } from '../../sessions/ended-tokens.ts';
import { type AppUser, appUsers, disabledUsers } from '../app-user.ts';
import { type CreateUserDeps, createUser, type NewAppUser } from './create-user.ts';
import {
  type AppUserCommand,
  type AppUsersPage,
  type CreatedAppUser,
  type CreateUserCommand,
  type ListQuery,
  listUsers,
  type NamedAppUser,
  type ShownAppUser,
  showUser,
} from './list-users.ts';

/** The accounts of an app's users, for the builders of its org. */
interface OrgAppUsers {
  /** @throws Problem `invalid_cursor`. */
  list(orgCode: string, query: ListQuery): Promise<AppUsersPage>;
  /** @throws Problem `validation_failed`, `conflict`, `workspace_suspended`, `rate_limited`. */
  create(command: CreateUserCommand, wanted: NewAppUser): Promise<CreatedAppUser>;
  /** @throws Problem `not_found`. */
  show(user: NamedAppUser): Promise<ShownAppUser>;
  /** Ends all tokens and bars the account, at once in this process. @throws Problem `not_found`, `conflict`. */
  disable(command: AppUserCommand, reason: string): Promise<void>;
  /** @throws Problem `not_found`, `conflict` where the account is not disabled. */
  enable(command: AppUserCommand, reason: string | undefined): Promise<void>;
  /** @throws Problem `not_found`, `conflict`. */
  revokeTokens(command: AppUserCommand): Promise<void>;
}

export interface OrgAppUsersDeps extends CreateUserDeps {
  readonly cursors: Cursors;
  /** See `SessionDeps`. */
  readonly revocations: AccessEpochs;
}

export function createOrgAppUsers(deps: OrgAppUsersDeps): OrgAppUsers {
  return {
    list: (orgCode, query) => listUsers(deps, orgCode, query),
    create: (command, wanted) => createUser(deps, command, wanted),
    show: (user) => showUser(deps, user),
    disable: (command, reason) => disableUser(deps, command, reason),
    enable: (command, reason) => enableUser(deps, command, reason),
    revokeTokens: (command) => revokeTokens(deps, command),
  };
}

interface DisableDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  /** See `SessionDeps`. */
  readonly revocations: AccessEpochs;
}

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

interface Changed {
  readonly changed: AppUser;
  readonly along: readonly Change[];
}

/** @throws Problem `not_found`, `conflict` for an account that has become part of another. */
async function changeUser(
  { stores, revocations }: DisableDeps,
  { orgCode, env, id, auditContext }: AppUserCommand,
  told: Pick<Audited, 'action' | 'detail'>,
  change: (user: AppUser) => Changed,
): Promise<void> {
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const entry = auditEntry(auditContext, { ...told, target: { kind: 'app_user', id }, env });
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
