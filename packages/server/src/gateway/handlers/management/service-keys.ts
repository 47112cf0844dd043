import { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { ServiceKeys } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { auditContextOf } from '../../pipeline/audit-context.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../../api/serve.ts';

export interface ServiceKeyServices {
  readonly serviceKeys: ServiceKeys;
  readonly clock: Clock;
}

/** The keys of an org's servers. They belong to an environment and are no configuration, so also production's are made here. */
export function serviceKeyRoutes({ serviceKeys, clock }: ServiceKeyServices): readonly ManagementRoute[] {
  return [
    serve(serviceKeysApi.listServiceKeys, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return serviceKeys.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(serviceKeysApi.createServiceKey, (request, caller) => {
      const asked = { orgCode: caller.org.code, auditContext: auditContextOf(clock, request, caller) };
      return serviceKeys.create(asked, request.body);
    }),
    serve(serviceKeysApi.removeServiceKey, async (request, caller) => {
      const auditContext = auditContextOf(clock, request, caller);
      await serviceKeys.remove({ orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
  ];
}
