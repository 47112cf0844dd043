import type { ServiceKeys } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readParameters } from '../../pipeline/management-query.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface ServiceKeyServices {
  readonly serviceKeys: ServiceKeys;
  readonly clock: Clock;
}

/** The keys of an org's servers. They belong to an environment and are no configuration, so also production's are made here. */
export function serviceKeyRoutes({ serviceKeys, clock }: ServiceKeyServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/org/service-keys',
      access: 'org_admin',
      handle: async ({ query }, { org }) => {
        const { env, pagesize, nexttoken } = readParameters(query, [], ['pagesize', 'nexttoken']);
        return json(200, await serviceKeys.list(org.code, { env, pageSize: readPageSize(pagesize), nexttoken }));
      },
    },
    {
      method: 'POST',
      path: '/org/service-keys',
      access: 'org_admin',
      takesBody: true,
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const asked = { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
        return json(201, await serviceKeys.create(asked, request.body));
      },
    },
    {
      method: 'DELETE',
      path: '/org/service-keys/:id',
      access: 'org_admin',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const occasion = occasionOf(clock, request, caller);
        await serviceKeys.remove({ orgCode: caller.org.code, id: request.params.id ?? '', occasion });
        return { status: 204 };
      },
    },
  ];
}
