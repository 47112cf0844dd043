import type { OrgCaller } from '../../../identity/org-accounts.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { siteUrl } from '../../pipeline/console-cookie.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json, type Reply } from '../../reply.ts';
import type { AccountServices } from './accounts.ts';

/** The org and who is in it. */
export function orgRoutes({ accounts, site }: AccountServices): readonly ManagementRoute[] {
  return [
    { method: 'GET', path: '/org', access: 'developer', handle: (_request, caller) => org(caller) },
    {
      method: 'POST',
      path: '/org/environments/:env/rotate-client-id',
      access: 'org_admin',
      handle: async ({ params, query }, { org }) => {
        refuseParameters(query);
        return json(200, await accounts.rotateClientId(org.code, params.env ?? ''));
      },
    },
    {
      method: 'GET',
      path: '/org/users',
      access: 'org_admin',
      handle: async ({ query }, { org }) => {
        refuseParameters(query);
        return json(200, { items: await accounts.users(org.code) });
      },
    },
    {
      method: 'POST',
      path: '/org/users',
      access: 'org_admin',
      takesBody: true,
      handle: async ({ incoming, query, body }, { org }) => {
        refuseParameters(query);
        const invited = await accounts.invite(org.code, body);
        // Behind the `#`, so that no log on the way to the page holds the code.
        return json(201, { ...invited, url: `${siteUrl(site, incoming)}/accept-invitation#code=${invited.code}` });
      },
    },
    {
      method: 'PUT',
      path: '/org/users/:id',
      access: 'org_admin',
      takesBody: true,
      handle: async ({ params, query, body }, { org }) => {
        refuseParameters(query);
        return json(200, await accounts.changeUser({ orgCode: org.code, id: params.id ?? '' }, body));
      },
    },
    {
      method: 'DELETE',
      path: '/org/users/:id',
      access: 'org_admin',
      handle: async ({ params, query }, { org }) => {
        refuseParameters(query);
        await accounts.removeUser({ orgCode: org.code, id: params.id ?? '' });
        return { status: 204 };
      },
    },
  ];
}

/** No plan limits anything yet, so every org has the plan `unlimited`. */
function org({ org }: OrgCaller): Reply {
  return json(200, { code: org.code, name: org.name, plan: 'unlimited', environments: org.environments });
}
