import type { appUsersApi } from '@freehold/contract/management/people/app-users';
import type { ReplyOf } from '@freehold/contract/route';
import type { AuditCaller } from '../audit/audit-entry.ts';
import type { StoredRecord } from '../records/port.ts';
import type { OrgContext, Workspace } from '../tenancy/port.ts';
import type { AppUser } from './app-users/app-user.ts';

/** A person's place in a workspace: the member's record is the truth of it. */
export interface Membership {
  readonly workspace: Workspace;
  readonly member: StoredRecord;
}

/** The questions to workspaces about the users of an app. They know people, and people know no more of them. */
export interface Homes {
  /** Gives them the org's decision on two accounts; may be repeated. */
  settle(place: OrgContext, user: AppUser, auditCaller?: AuditCaller): Promise<void>;
  /**
   * The membership that a fresh token is for: in the workspace of the code, else in the person's own by choice or by
   * the rules of the app. Undefined for a person who is in none.
   * @throws Problem `not_found`, `workspace_suspended`, `token_invalid`.
   */
  arrive(place: OrgContext, user: AppUser, tenantCode: string | undefined): Promise<Membership | undefined>;
  /** Why the person is in no workspace, with what to do; undefined where there is nothing to say. */
  whyOutside(
    place: Pick<OrgContext, 'env' | 'orgCode'>,
    user: Pick<AppUser, 'email' | 'email_verified'>,
  ): Promise<string | undefined>;
  /** Whether a sign-in would be refused for a suspended membership. Changes nothing. */
  isSuspendedAtHome(place: OrgContext, userId: string): Promise<boolean>;
  membershipsOf(place: OrgContext, userId: string): Promise<ReplyOf<typeof appUsersApi.readAppUser>['memberships']>;
  /** Ends all memberships of an account, or none; may be repeated. @throws Problem `last_admin`. */
  endMemberships(place: OrgContext, userId: string, auditCaller: AuditCaller): Promise<void>;
}
