import { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { ServiceKeys } from '../port.ts';
import type { Clock } from '../../lib/clock.ts';

export interface ServiceKeyServices {
  readonly serviceKeys: ServiceKeys;
  readonly clock: Clock;
}

/** The keys of an org's servers. They belong to an environment and are no configuration, so also production's are made here. */
export function serviceKeyRoutes({ serviceKeys }: ServiceKeyServices): readonly AnyRoute[] {
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
