import { usageApi } from '@freehold/contract/management/usage';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { MeteringRouteDeps } from './deps.ts';

/** What orgs may use, for the operator. */
export function planRoutes({ metering }: MeteringRouteDeps): readonly AnyRoute[] {
  return [
    serve(usageApi.showPlan, async ({ params: { org = '' } }) => {
      return { org, ...(await metering.plans.show(org)) };
    }),
    serve(usageApi.changePlan, async ({ params: { org = '' }, body }, { auditContext }) => {
      return { org, ...(await metering.plans.set(org, body, auditContext)) };
    }),
  ];
}
