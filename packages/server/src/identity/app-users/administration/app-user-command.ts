import type { appUsersApi } from '@freehold/contract/management/people/app-users';
import type { ReplyOf } from '@freehold/contract/route';
import type { Environment } from '../../../tenancy/port.ts';
import type { OrgCommand, OrgUserCommand } from '../../org-users/account.ts';

export type AppUsersPage = ReplyOf<typeof appUsersApi.listAppUsers>;
export type ListedAppUser = AppUsersPage['items'][number];
export type ShownAppUser = ReplyOf<typeof appUsersApi.readAppUser>;

export type CreatedAppUser = ReplyOf<typeof appUsersApi.createAppUser>;

export interface NamedAppUser {
  readonly orgCode: string;
  readonly env: Environment;
  readonly id: string;
}

export interface CreateUserCommand extends OrgCommand {
  readonly env: Environment;
  /** The address that the builder calls from. */
  readonly ip: string;
}

export interface AppUserCommand extends OrgUserCommand {
  readonly env: Environment;
}
