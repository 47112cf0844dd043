import { settingsApi } from '@freehold/contract/management/settings';
import { requireTest } from '../../api/environments.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** What an org has settled. Every group of settings that there is decides who gets in, so an admin changes them. */
export function settingRoutes({ settings, origins }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(settingsApi.listSettings, async (request, caller) => {
      const shown = settings(request.query.env, caller.command.auditContext);
      return { items: await shown.list(caller.org.code, request.query.group) };
    }),
    serve(settingsApi.changeSetting, async (request, caller) => {
      requireTest(request.query.env);
      const changed = settings('test', caller.command.auditContext);
      return await changed.put(caller.org.code, request.body);
    }),
    serve(settingsApi.listRefusedOrigins, (_request, { org }) => ({ items: origins.refused(org.code) })),
  ];
}
