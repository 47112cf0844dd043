import { deployApi } from '@freehold/contract/management/deploy';
import type { DeployKeys } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { auditContextOf } from '../../pipeline/audit-context.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../../api/serve.ts';

export interface DeployKeyServices {
  readonly deployKeys: DeployKeys;
  readonly clock: Clock;
}

/** Keys for pipelines. What one opens stands in each route of promotion. */
export function deployKeyRoutes({ deployKeys, clock }: DeployKeyServices): readonly ManagementRoute[] {
  return [
    serve(deployApi.listDeployKeys, async (_request, { org }) => {
      return { items: await deployKeys.list(org.code) };
    }),
    serve(deployApi.createDeployKey, (request, caller) => {
      const asked = { orgCode: caller.org.code, auditContext: auditContextOf(clock, request, caller) };
      return deployKeys.create(asked, request.body);
    }),
    serve(deployApi.removeDeployKey, async (request, caller) => {
      const asked = { orgCode: caller.org.code, auditContext: auditContextOf(clock, request, caller) };
      await deployKeys.remove(asked, request.params.id);
    }),
  ];
}
