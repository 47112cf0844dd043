import type { OrgCaller } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Metering } from '../../../metering/metering.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { mailedUrl, siteUrl } from '../../pipeline/console-cookie.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json, type Reply } from '../../reply.ts';
import type { GatewayRequest } from '../../request.ts';
import type { AccountServices } from './accounts.ts';

export interface OrgServices extends AccountServices {
  readonly metering: Pick<Metering, 'plans'>;
  readonly clock: Clock;
}

/** The org and who is in it. */
export function orgRoutes({ accounts, site, clock, metering }: OrgServices): readonly ManagementRoute[] {
  return [
    { method: 'GET', path: '/org', access: 'developer', handle: (_request, caller) => org(metering, caller) },
    {
      method: 'POST',
      path: '/org/environments/:env/rotate-client-id',
      access: 'org_admin',
      refusedAs: 'client_id.rotation_refused',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const asked = { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
        return json(200, await accounts.rotateClientId(asked, request.params.env ?? ''));
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
      handle: async (request, caller) => {
        const { incoming, query, body } = request;
        refuseParameters(query);
        const occasion = occasionOf(clock, request, caller);
        const asked = { orgCode: caller.org.code, occasion, siteUrl: mailedUrl(site, incoming) };
        const invited = await accounts.invite(asked, body);
        // Behind the `#`, so that no log on the way to the page holds the code.
        return json(201, { ...invited, url: `${siteUrl(site, incoming)}/accept-invitation#code=${invited.code}` });
      },
    },
    {
      method: 'PUT',
      path: '/org/users/:id',
      access: 'org_admin',
      takesBody: true,
      handle: async (request, caller) => {
        refuseParameters(request.query);
        return json(200, await accounts.changeUser(askedPlace(clock, request, caller), request.body));
      },
    },
    {
      method: 'DELETE',
      path: '/org/users/:id',
      access: 'org_admin',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        await accounts.removeUser(askedPlace(clock, request, caller));
        return { status: 204 };
      },
    },
  ];
}

function askedPlace(clock: Clock, request: GatewayRequest, caller: OrgCaller) {
  return { orgCode: caller.org.code, id: request.params.id ?? '', occasion: occasionOf(clock, request, caller) };
}

async function org({ plans }: OrgServices['metering'], { org }: OrgCaller): Promise<Reply> {
  const { name: plan } = await plans.of(org.code);
  return json(200, { code: org.code, name: org.name, plan, environments: org.environments });
}
