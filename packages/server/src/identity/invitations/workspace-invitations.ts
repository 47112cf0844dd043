import type { workspaceInvitationsApi } from '@freehold/contract/management/people/workspace-invitations';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { AuditContext } from '../../audit/audit-entry.ts';
import { findActiveWorkspace, findWorkspace } from '../../iam/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import {
  type InvitationDeps,
  type InvitingContext,
  type IssuedInvitation,
  invite,
  listInvitations,
  type NewInvitation,
  resend,
  withdraw,
} from './invitations.ts';

/** How an org admin asks people into a workspace of the app. Each method throws `not_found` where there is no such workspace. */
export interface WorkspaceInvitations {
  list(place: NamedWorkspace): Promise<readonly ListedInvitation[]>;
  /** @throws Problem `validation_failed`, `conflict`, `workspace_suspended`. */
  invite(
    command: WorkspaceCommand,
    asked: Omit<BodyOf<typeof workspaceInvitationsApi.inviteToWorkspace>, 'env'>,
  ): Promise<IssuedInvitation>;
  /** @throws Problem `conflict`, `workspace_suspended`. */
  resend(command: WorkspaceCommand, id: string): Promise<IssuedInvitation>;
  withdraw(command: WorkspaceCommand, id: string): Promise<void>;
}

type ListedInvitation = ReplyOf<typeof workspaceInvitationsApi.listWorkspaceInvitations>['items'][number];

export interface NamedWorkspace {
  readonly orgCode: string;
  readonly env: Environment;
  readonly tenantCode: string;
}

export interface WorkspaceCommand extends NamedWorkspace {
  readonly auditContext: AuditContext;
}

export function createWorkspaceInvitations(deps: InvitationDeps): WorkspaceInvitations {
  return {
    list: async (place) => {
      const workspace = await findWorkspace(deps.stores, place);
      return (await listInvitations(workspace)).map(({ invited_by_kind, ...invitation }) => ({
        ...invitation,
        is_by_builder: invited_by_kind === 'org_user',
      }));
    },
    invite: async (command, asked: NewInvitation) =>
      invite(deps, await contextOf(deps, command, findActiveWorkspace), asked),
    resend: async (command, id) => resend(deps, await contextOf(deps, command, findActiveWorkspace), id),
    withdraw: async (command, id) => withdraw(deps, await contextOf(deps, command, findWorkspace), id),
  };
}

/** The builder as one who writes in the workspace. */
async function contextOf(
  deps: InvitationDeps,
  { auditContext, ...place }: WorkspaceCommand,
  find: typeof findWorkspace,
): Promise<InvitingContext> {
  const workspace = await find(deps.stores, place);
  const config = await deps.configs[place.env].current(place.orgCode);
  const actor = { userId: auditContext.actor.id, claims: {}, auditCaller: auditContext };
  return { workspace, config, actor, isOfOrg: true };
}
