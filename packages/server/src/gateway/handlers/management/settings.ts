import type { Occasion } from '../../../audit/audit-entry.ts';
import type { AppOrigins, OrgSettings } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Environment } from '../../../tenancy/port.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readParameters, requireTest } from '../../pipeline/management-query.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { json } from '../../reply.ts';

export interface SettingServices {
  readonly settings: (env: Environment, occasion: Occasion) => OrgSettings;
  readonly origins: AppOrigins;
  readonly clock: Clock;
}

/** What an org has settled. Every group of settings that there is decides who gets in, so an admin changes them. */
export function settingRoutes({ settings, origins, clock }: SettingServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/org/settings',
      access: 'developer',
      handle: async (request, caller) => {
        const { env, group } = readParameters(request.query, [], ['group']);
        const shown = settings(env, occasionOf(clock, request, caller));
        return json(200, { items: await shown.list(caller.org.code, group) });
      },
    },
    {
      method: 'PUT',
      path: '/org/settings',
      access: 'org_admin',
      takesBody: true,
      handle: async (request, caller) => {
        requireTest(request.query);
        readParameters(request.query, []);
        const changed = settings('test', occasionOf(clock, request, caller));
        return json(200, await changed.put(caller.org.code, request.body));
      },
    },
    {
      method: 'GET',
      path: '/org/refused-origins',
      access: 'developer',
      handle: (_request, { org }) => json(200, { items: origins.refused(org.code) }),
    },
  ];
}
