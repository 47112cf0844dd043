import type { DeployKeys } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface DeployKeyServices {
  readonly deployKeys: DeployKeys;
  readonly clock: Clock;
}

/** Keys for pipelines. What one opens stands in each route of promotion. */
export function deployKeyRoutes({ deployKeys, clock }: DeployKeyServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/deploy/keys',
      access: 'org_admin',
      handle: async ({ query }, { org }) => {
        refuseParameters(query);
        return json(200, { items: await deployKeys.list(org.code) });
      },
    },
    {
      method: 'POST',
      path: '/deploy/keys',
      access: 'org_admin',
      takesBody: true,
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const asked = { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
        return json(201, await deployKeys.create(asked, request.body));
      },
    },
    {
      method: 'DELETE',
      path: '/deploy/keys/:id',
      access: 'org_admin',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const asked = { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
        await deployKeys.remove(asked, request.params.id ?? '');
        return { status: 204 };
      },
    },
  ];
}
