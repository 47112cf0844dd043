import type { Impersonate } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface ImpersonationServices {
  readonly impersonate: Impersonate;
  readonly clock: Clock;
}

/** How a builder gets to see an app as its users do. What it takes depends on the environment, which the body names. */
export function impersonationRoutes({ impersonate, clock }: ImpersonationServices): readonly ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/org/impersonate',
      access: 'developer',
      takesBody: true,
      handle: async (request, caller) => {
        refuseParameters(request.query);
        return json(200, await impersonate(caller, occasionOf(clock, request, caller), request.body));
      },
    },
  ];
}
