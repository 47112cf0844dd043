import type { Occasion } from '../../../audit/audit-entry.ts';
import { operatorActor } from '../../../audit/operator-log.ts';
import { type Clock, timestamp } from '../../../lib/clock.ts';
import type { Plans } from '../../../metering/plans.ts';
import type { OperatorRoute } from '../../management-route.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface PlanServices {
  readonly metering: { readonly plans: Plans };
  readonly clock: Clock;
}

/** What orgs may use, for whoever runs the platform. */
export function planRoutes({ metering, clock }: PlanServices): readonly OperatorRoute[] {
  return [
    {
      method: 'GET',
      path: '/platform/orgs/:org/plan',
      access: 'operator',
      handle: async ({ query, params: { org = '' } }) => {
        refuseParameters(query);
        return json(200, { org, ...(await metering.plans.show(org)) });
      },
    },
    {
      method: 'PUT',
      path: '/platform/orgs/:org/plan',
      access: 'operator',
      refusedAs: 'plan.change_refused',
      takesBody: true,
      handle: async ({ query, params: { org = '' }, body, requestId }) => {
        refuseParameters(query);
        const occasion: Occasion = { at: timestamp(clock.now()), actor: operatorActor, request_id: requestId };
        return json(200, { org, ...(await metering.plans.set(org, body, occasion)) });
      },
    },
  ];
}
