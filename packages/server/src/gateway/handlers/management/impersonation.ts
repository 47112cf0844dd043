import { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { Impersonate } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { auditContextOf } from '../../pipeline/audit-context.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../../api/serve.ts';

export interface ImpersonationServices {
  readonly impersonate: Impersonate;
  readonly clock: Clock;
}

/** How a builder gets to see an app as its users do. What it takes depends on the environment, which the body names. */
export function impersonationRoutes({ impersonate, clock }: ImpersonationServices): readonly ManagementRoute[] {
  return [
    serve(serviceKeysApi.impersonate, (request, caller) =>
      impersonate(caller, auditContextOf(clock, request, caller), request.body),
    ),
  ];
}
