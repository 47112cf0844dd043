import { orgWorkspacesApi } from '@freehold/contract/management/workspaces';
import { requireTest } from '../../api/environments.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
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
