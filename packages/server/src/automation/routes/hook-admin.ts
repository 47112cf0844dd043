import { hooksApi } from '@freehold/contract/management/automation/hooks';
import { requireProd } from '../../api/environments.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { AutomationRouteDeps } from './deps.ts';

/** What hooks say of an environment is no configuration, so production's are set here too. */
export function hookAdminRoutes({ hooks }: AutomationRouteDeps): readonly AnyRoute[] {
  return [
    serve(hooksApi.listHooks, async ({ query: { env } }, { org }) => {
      return { items: await hooks.list({ env, orgCode: org.code }) };
    }),
    serve(hooksApi.readHook, ({ query: { env }, params }, { org }) =>
      hooks.show({ env, orgCode: org.code, block: params.name }),
    ),
    serve(hooksApi.setHook, (request, caller) => {
      const { env } = request.query;
      if (env === 'prod') requireProd(caller);
      const name = { env, orgCode: caller.org.code, block: request.params.name };
      return hooks.set(name, request.body, caller.command.auditContext);
    }),
  ];
}
