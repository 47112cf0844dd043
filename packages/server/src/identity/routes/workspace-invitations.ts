import { workspaceInvitationsApi } from '@freehold/contract/management/people/workspace-invitations';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** How an org asks people into the workspaces of its app, also of production. */
export function workspaceInvitationRoutes({ workspaceInvitations }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(workspaceInvitationsApi.listWorkspaceInvitations, async ({ params, query }, { org }) => {
      const { tenant_code: tenantCode } = params;
      return { items: await workspaceInvitations.list({ orgCode: org.code, env: query.env, tenantCode }) };
    }),
    serve(workspaceInvitationsApi.inviteToWorkspace, (request, caller) => {
      const { env, ...asked } = request.body;
      const place = { orgCode: caller.org.code, env, tenantCode: request.params.tenant_code };
      return workspaceInvitations.invite({ ...place, auditContext: caller.command.auditContext }, asked);
    }),
    serve(workspaceInvitationsApi.resendWorkspaceInvitation, (request, caller) => {
      const { params, body } = request;
      const place = { orgCode: caller.org.code, env: body.env, tenantCode: params.tenant_code };
      return workspaceInvitations.resend({ ...place, auditContext: caller.command.auditContext }, params.id);
    }),
    serve(workspaceInvitationsApi.withdrawWorkspaceInvitation, async (request, caller) => {
      const { params, query } = request;
      const place = { orgCode: caller.org.code, env: query.env, tenantCode: params.tenant_code };
      const auditContext = caller.command.auditContext;
      await workspaceInvitations.withdraw({ ...place, auditContext }, params.id);
    }),
  ];
}
