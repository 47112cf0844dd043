import type { Environment } from '../../../entities/workspace.ts';
import type { AppOrigins } from '../../../identity/app-origins.ts';
import type { OrgSettings } from '../../../identity/org-settings.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readParameters, requireTest } from '../../pipeline/management-query.ts';
import { json } from '../../reply.ts';

export interface SettingServices {
  readonly settings: Readonly<Record<Environment, OrgSettings>>;
  readonly origins: AppOrigins;
}

/** What an org has settled. Every group of settings that there is decides who gets in, so an admin changes them. */
export function settingRoutes({ settings, origins }: SettingServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/org/settings',
      access: 'developer',
      handle: async ({ query }, { org }) => {
        const { env, group } = readParameters(query, [], ['group']);
        return json(200, { items: await settings[env].list(org.code, group) });
      },
    },
    {
      method: 'PUT',
      path: '/org/settings',
      access: 'org_admin',
      takesBody: true,
      handle: async ({ query, body }, { org }) => {
        requireTest(query);
        readParameters(query, []);
        return json(200, await settings.test.put(org.code, body));
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
