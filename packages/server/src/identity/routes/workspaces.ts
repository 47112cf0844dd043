import { workspacesApi } from '@freehold/contract/app/workspaces';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

/** The workspaces that a person is in, and the one that the token is of. */
export function workspaceRoutes(workspaces: Workspaces): readonly AnyRoute[] {
  return [
    serve(workspacesApi.readTenants, async (_request, { claims }) => {
      return { items: await workspaces.tenants(claims) };
    }),
    serve(workspacesApi.createWorkspace, ({ body, requestId }, { claims }) =>
      workspaces.create(claims, body, requestId),
    ),
    serve(workspacesApi.updateWorkspace, ({ body }, context) => workspaces.update(context, body), {
      readTexts: { name: (text) => text.trim() },
    }),
    serve(workspacesApi.deleteWorkspace, async ({ body }, context) => {
      await workspaces.remove(context, body);
    }),
    serve(workspacesApi.switchTenant, ({ body }, { claims }) => workspaces.switchTo(claims, body)),
    serve(workspacesApi.leaveWorkspace, async ({ body, requestId }, { claims }) => {
      await workspaces.leave(claims, body, requestId);
    }),
  ];
}
