import type { appUsersApi } from '@freehold/contract/management/people/app-users';
import type { ReplyOf } from '@freehold/contract/route';
import type { AccessEpochs } from '../../../iam/port.ts';
import type { Cursors } from '../../../records/port.ts';
import type { Environment } from '../../../tenancy/port.ts';
import type { OrgUserCommand } from '../../org-users/account.ts';
import type { MembershipDeps } from '../../workspaces/memberships.ts';
import { disableUser, enableUser, revokeTokens } from './disable-user.ts';
import { type ListQuery, listUsers } from './list-users.ts';
import { showUser } from './show-user.ts';

/** The accounts of an app's users, for the builders of its org. */
export interface OrgAppUsers {
  /** @throws Problem `invalid_cursor`. */
  list(orgCode: string, query: ListQuery): Promise<AppUsersPage>;
  /** @throws Problem `not_found`. */
  show(user: NamedAppUser): Promise<ShownAppUser>;
  /** Ends all tokens and bars the account, at once in this process. @throws Problem `not_found`, `conflict`. */
  disable(command: AppUserCommand, reason: string): Promise<void>;
  /** @throws Problem `not_found`, `conflict` where the account is not disabled. */
  enable(command: AppUserCommand, reason: string | undefined): Promise<void>;
  /** @throws Problem `not_found`, `conflict`. */
  revokeTokens(command: AppUserCommand): Promise<void>;
}

export type AppUsersPage = ReplyOf<typeof appUsersApi.listAppUsers>;
export type ListedAppUser = AppUsersPage['items'][number];
export type ShownAppUser = ReplyOf<typeof appUsersApi.readAppUser>;

export interface NamedAppUser {
  readonly orgCode: string;
  readonly env: Environment;
  readonly id: string;
}

export interface AppUserCommand extends OrgUserCommand {
  readonly env: Environment;
}

export interface OrgAppUsersDeps extends MembershipDeps {
  readonly cursors: Cursors;
  /** See `SessionDeps`. */
  readonly revocations: AccessEpochs;
}

export function createOrgAppUsers(deps: OrgAppUsersDeps): OrgAppUsers {
  return {
    list: (orgCode, query) => listUsers(deps, orgCode, query),
    show: (user) => showUser(deps, user),
    disable: (command, reason) => disableUser(deps, command, reason),
    enable: (command, reason) => enableUser(deps, command, reason),
    revokeTokens: (command) => revokeTokens(deps, command),
  };
}
