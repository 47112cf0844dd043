import { orgWorkspacesApi } from '@freehold/contract/management/workspaces';
import type { OrgWorkspaces } from '../../../identity/port.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../serve.ts';

export interface OrgWorkspaceServices {
  readonly orgWorkspaces: OrgWorkspaces;
}

/** The workspaces of an org as builders see them. */
export function orgWorkspaceRoutes({ orgWorkspaces }: OrgWorkspaceServices): readonly ManagementRoute[] {
  return [
    serve(orgWorkspacesApi.listOrgWorkspaces, ({ query }, { org }) => {
      const { env, prefix, pagesize: pageSize, nexttoken } = query;
      return orgWorkspaces.list(org.code, { env, prefix, pageSize, nexttoken });
    }),
    serve(orgWorkspacesApi.readOrgWorkspace, ({ params, query }, { org }) =>
      orgWorkspaces.show(org.code, query.env, params.tenant_code),
    ),
  ];
}
