import { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** How a builder gets to see an app as its users do. What it takes depends on the environment, which the body names. */
export function impersonationRoutes({ impersonate }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(serviceKeysApi.impersonate, (request, caller) =>
      impersonate(caller, caller.command.auditContext, request.body),
    ),
  ];
}
