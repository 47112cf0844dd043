import type { ManagementRoute } from '../../management-route.ts';
import { mailedUrl } from '../../pipeline/console-cookie.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';
import type { AccountServices } from './accounts.ts';

/** The builder's own password. */
export function passwordRoutes({ accounts, site }: AccountServices): readonly ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/auth/forgot-password',
      access: 'public',
      takesBody: true,
      handle: ({ incoming, query, body, ip }) => {
        refuseParameters(query);
        accounts.forgotPassword(body, { ip, siteUrl: mailedUrl(site, incoming) });
        return json(202, {});
      },
    },
    {
      method: 'POST',
      path: '/auth/reset-password',
      access: 'public',
      takesBody: true,
      handle: async ({ query, body, ip }) => {
        refuseParameters(query);
        await accounts.resetPassword({ body, ip });
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: '/auth/password',
      access: 'developer',
      takesBody: true,
      handle: async ({ query, body, ip }, caller) => {
        refuseParameters(query);
        await accounts.changePassword(caller, { body, ip });
        return { status: 204 };
      },
    },
  ];
}
