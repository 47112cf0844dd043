import { settingsApi } from '@freehold/contract/management/settings';
import type { AuditContext } from '../../../audit/audit-entry.ts';
import type { AppOrigins, OrgSettings } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Environment } from '../../../tenancy/port.ts';
import { auditContextOf } from '../../pipeline/audit-context.ts';
import { requireTest } from '../../../api/require-test.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../../api/serve.ts';

export interface SettingServices {
  readonly settings: (env: Environment, auditContext: AuditContext) => OrgSettings;
  readonly origins: AppOrigins;
  readonly clock: Clock;
}

/** What an org has settled. Every group of settings that there is decides who gets in, so an admin changes them. */
export function settingRoutes({ settings, origins, clock }: SettingServices): readonly ManagementRoute[] {
  return [
    serve(settingsApi.listSettings, async (request, caller) => {
      const shown = settings(request.query.env, auditContextOf(clock, request, caller));
      return { items: await shown.list(caller.org.code, request.query.group) };
    }),
    serve(settingsApi.changeSetting, async (request, caller) => {
      requireTest(request.query.env);
      const changed = settings('test', auditContextOf(clock, request, caller));
      return await changed.put(caller.org.code, request.body);
    }),
    serve(settingsApi.listRefusedOrigins, (_request, { org }) => ({ items: origins.refused(org.code) })),
  ];
}
