import { usageApi } from '@freehold/contract/management/usage';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { AuditContext } from '../../audit/audit-entry.ts';
import { operatorActor } from '../../audit/operator-log.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Plans } from '../plans.ts';

export interface PlanServices {
  readonly metering: { readonly plans: Plans };
  readonly clock: Clock;
}

/** What orgs may use, for the operator. */
export function planRoutes({ metering, clock }: PlanServices): readonly AnyRoute[] {
  return [
    serve(usageApi.showPlan, async ({ params: { org = '' } }) => {
      return { org, ...(await metering.plans.show(org)) };
    }),
    serve(usageApi.changePlan, async ({ params: { org = '' }, body, requestId }) => {
      const auditContext: AuditContext = { at: timestamp(clock.now()), actor: operatorActor, request_id: requestId };
      return { org, ...(await metering.plans.set(org, body, auditContext)) };
    }),
  ];
}
