import { workspaceInvitationsApi } from '@freehold/contract/management/people/workspace-invitations';
import type { WorkspaceInvitations } from '../../../../identity/port.ts';
import type { Clock } from '../../../../lib/clock.ts';
import { auditContextOf } from '../../../pipeline/audit-context.ts';
import type { ManagementRoute } from '../../../routing/management-route.ts';
import { serve } from '../../../../api/serve.ts';

export interface WorkspaceInvitationServices {
  readonly workspaceInvitations: WorkspaceInvitations;
  readonly clock: Clock;
}

/** How an org asks people into the workspaces of its app, also of production. */
export function workspaceInvitationRoutes({
  workspaceInvitations,
  clock,
}: WorkspaceInvitationServices): readonly ManagementRoute[] {
  return [
    serve(workspaceInvitationsApi.listWorkspaceInvitations, async ({ params, query }, { org }) => {
      const { tenant_code: tenantCode } = params;
      return { items: await workspaceInvitations.list({ orgCode: org.code, env: query.env, tenantCode }) };
    }),
    serve(workspaceInvitationsApi.inviteToWorkspace, (request, caller) => {
      const { env, ...asked } = request.body;
      const place = { orgCode: caller.org.code, env, tenantCode: request.params.tenant_code };
      return workspaceInvitations.invite({ ...place, auditContext: auditContextOf(clock, request, caller) }, asked);
    }),
    serve(workspaceInvitationsApi.resendWorkspaceInvitation, (request, caller) => {
      const { params, body } = request;
      const place = { orgCode: caller.org.code, env: body.env, tenantCode: params.tenant_code };
      return workspaceInvitations.resend({ ...place, auditContext: auditContextOf(clock, request, caller) }, params.id);
    }),
    serve(workspaceInvitationsApi.withdrawWorkspaceInvitation, async (request, caller) => {
      const { params, query } = request;
      const place = { orgCode: caller.org.code, env: query.env, tenantCode: params.tenant_code };
      const auditContext = auditContextOf(clock, request, caller);
      await workspaceInvitations.withdraw({ ...place, auditContext }, params.id);
    }),
  ];
}
