import type { OrgAccounts, OrgCaller } from '../../../identity/org-accounts.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readBearerToken } from '../../pipeline/read-token.ts';
import { json, type Reply } from '../../reply.ts';

/** The builder's own account and org. */
export function accountRoutes(accounts: OrgAccounts): readonly ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/auth/signup',
      access: 'public',
      takesBody: true,
      handle: async ({ body }) => json(201, await accounts.signUp(body)),
    },
    {
      method: 'POST',
      path: '/auth/login',
      access: 'public',
      takesBody: true,
      handle: async ({ body, ip }) => json(200, await accounts.logIn(body, ip)),
    },
    {
      method: 'POST',
      path: '/auth/logout',
      access: 'developer',
      handle: async ({ incoming }) => {
        await accounts.logOut(readBearerToken(incoming));
        return { status: 204 };
      },
    },
    { method: 'GET', path: '/auth/me', access: 'developer', handle: (_request, caller) => me(caller) },
    { method: 'GET', path: '/org', access: 'developer', handle: (_request, caller) => org(caller) },
  ];
}

function me({ user, org, role }: OrgCaller): Reply {
  return json(200, { user, org: { code: org.code, name: org.name }, role });
}

/** No plan limits anything yet, so every org has the plan `unlimited`. */
function org({ org }: OrgCaller): Reply {
  return json(200, { code: org.code, name: org.name, plan: 'unlimited', environments: org.environments });
}
