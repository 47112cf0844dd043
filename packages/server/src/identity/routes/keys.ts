import { deployApi } from '@freehold/contract/management/deploy';
import { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** The keys of an org's servers. They belong to an environment and are no configuration, so also production's are made here. */
export function serviceKeyRoutes({ serviceKeys }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(serviceKeysApi.listServiceKeys, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return serviceKeys.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(serviceKeysApi.createServiceKey, (request, caller) => {
      const asked = caller.command;
      return serviceKeys.create(asked, request.body);
    }),
    serve(serviceKeysApi.removeServiceKey, async (request, caller) => {
      const auditContext = caller.command.auditContext;
      await serviceKeys.remove({ orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
  ];
}

/** Keys for pipelines. What one opens stands in each route of promotion. */
export function deployKeyRoutes({ deployKeys }: IdentityRouteDeps): readonly AnyRoute[] {
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
