import type { AccessEpochs } from '../../../iam/port.ts';
import type { Cursors } from '../../../records/port.ts';
import type {
  AppUserCommand,
  AppUsersPage,
  CreatedAppUser,
  CreateUserCommand,
  NamedAppUser,
  ShownAppUser,
} from './app-user-command.ts';
import { type CreateUserDeps, createUser, type NewAppUser } from './create-user.ts';
import { disableUser, enableUser, revokeTokens } from './disable-user.ts';
import { type ListQuery, listUsers } from './list-users.ts';
import { showUser } from './show-user.ts';

/** The accounts of an app's users, for the builders of its org. */
export interface OrgAppUsers {
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
