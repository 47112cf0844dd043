import { workspaceTemplatesApi } from '@freehold/contract/management/settings/workspace-templates';
import { requireProd } from '../../api/environments.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { BuilderCaller } from '../callers.ts';
import type { IdentityRouteDeps } from './deps.ts';

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
