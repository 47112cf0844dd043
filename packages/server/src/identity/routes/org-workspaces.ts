import { workspaceInvitationsApi } from '@freehold/contract/management/people/workspace-invitations';
import { workspaceTemplatesApi } from '@freehold/contract/management/settings/workspace-templates';
import { orgWorkspacesApi } from '@freehold/contract/management/workspaces';
import { requireProd, requireTest } from '../../api/environments.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { BuilderCaller } from '../callers.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** The workspaces of an org as builders see them. */
export function orgWorkspaceRoutes({ orgWorkspaces }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(orgWorkspacesApi.listOrgWorkspaces, ({ query }, { org }) => {
      const { env, prefix, state, pagesize: pageSize, nexttoken } = query;
      return orgWorkspaces.list(org.code, { env, prefix, state, pageSize, nexttoken });
    }),
    serve(orgWorkspacesApi.createOrgWorkspace, (request, caller) => {
      const { env, name, code } = request.body;
      requireTest(env);
      const { actor, request_id: requestId } = caller.command.auditContext;
      const place = { env, orgCode: caller.org.code, requestId };
      return orgWorkspaces.create(place, { name: name.trim(), code, made_by: actor.id });
    }),
    serve(orgWorkspacesApi.readOrgWorkspace, ({ params, query }, { org }) =>
      orgWorkspaces.show(org.code, query.env, params.tenant_code),
    ),
    serve(orgWorkspacesApi.suspendWorkspace, async (request, caller) => {
      const { env, reason } = request.body;
      const command = { orgCode: caller.org.code, env, id: request.params.tenant_code };
      await orgWorkspaces.suspend({ ...command, auditContext: caller.command.auditContext }, reason.trim());
    }),
    serve(orgWorkspacesApi.resumeWorkspace, async (request, caller) => {
      const { env, reason } = request.body;
      const command = { orgCode: caller.org.code, env, id: request.params.tenant_code };
      await orgWorkspaces.resume({ ...command, auditContext: caller.command.auditContext }, reason?.trim());
    }),
  ];
}

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

interface EnvironmentRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
}

/** Workspaces are no configuration, so those of production are changed here too: by admins of the org. */
export function workspaceTemplateRoutes({
  workspaceDrifts: drifts,
  templateApplications: applications,
}: IdentityRouteDeps): readonly AnyRoute[] {
  const placeOf = ({ query: { env } }: EnvironmentRequest, caller: BuilderCaller) => {
    if (env === 'prod') requireProd(caller);
    return { env, orgCode: caller.org.code };
  };
  const commandOf = (request: EnvironmentRequest, caller: BuilderCaller) => ({
    ...placeOf(request, caller),
    auditContext: caller.command.auditContext,
  });
  return [
    serve(workspaceTemplatesApi.listWorkspaceDrift, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return drifts.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(workspaceTemplatesApi.readWorkspaceDrift, ({ params, query }, { org }) =>
      drifts.show(org.code, { env: query.env, code: params.tenant_code, replacesLocal: query.replace_local }),
    ),
    serve(workspaceTemplatesApi.previewTemplateApplication, (request, caller) =>
      applications.preview(commandOf(request, caller), request.body ?? {}),
    ),
    serve(workspaceTemplatesApi.listTemplateApplications, async ({ query }, { org }) => ({
      items: await applications.list({ env: query.env, orgCode: org.code }),
    })),
    serve(workspaceTemplatesApi.readTemplateApplication, ({ params, query }, { org }) =>
      applications.show({ env: query.env, orgCode: org.code }, params.id),
    ),
    serve(workspaceTemplatesApi.listAppliedWorkspaces, ({ params, query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return applications.workspaces({ env, orgCode: org.code }, params.id, { pageSize, nexttoken });
    }),
    serve(workspaceTemplatesApi.startTemplateApplication, (request, caller) => {
      const { accept_widening: acceptsWidening = false } = request.body ?? {};
      return applications.start(commandOf(request, caller), request.params.id, { acceptsWidening });
    }),
    serve(workspaceTemplatesApi.cancelTemplateApplication, (request, caller) =>
      applications.cancel(commandOf(request, caller), request.params.id),
    ),
  ];
}
