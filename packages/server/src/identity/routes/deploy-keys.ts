import { deployApi } from '@freehold/contract/management/deploy';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { DeployKeys } from '../port.ts';
import type { Clock } from '../../lib/clock.ts';

export interface DeployKeyServices {
  readonly deployKeys: DeployKeys;
  readonly clock: Clock;
}

/** Keys for pipelines. What one opens stands in each route of promotion. */
export function deployKeyRoutes({ deployKeys }: DeployKeyServices): readonly AnyRoute[] {
  return [
    serve(deployApi.listDeployKeys, async (_request, { org }) => {
      return { items: await deployKeys.list(org.code) };
    }),
    serve(deployApi.createDeployKey, (request, caller) => {
      const asked = caller.command;
      return deployKeys.create(asked, request.body);
    }),
    serve(deployApi.removeDeployKey, async (request, caller) => {
      const asked = caller.command;
      await deployKeys.remove(asked, request.params.id);
    }),
  ];
}
