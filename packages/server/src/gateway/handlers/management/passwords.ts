import { passwordsApi } from '@freehold/contract/management/passwords';
import { mailedUrl } from '../../../api/console-cookie.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../../api/serve.ts';
import type { AccountServices } from './accounts.ts';

/** The builder's own password. */
export function passwordRoutes({ accounts, site }: AccountServices): readonly ManagementRoute[] {
  return [
    serve(passwordsApi.forgotPassword, ({ incoming, body, ip }) => {
      accounts.forgotPassword(body, { ip, siteUrl: mailedUrl(site, incoming) });
      return {};
    }),
    serve(passwordsApi.resetPassword, async ({ body, ip }) => {
      await accounts.resetPassword({ body, ip });
    }),
    serve(passwordsApi.changePassword, async ({ body, ip }, caller) => {
      await accounts.changePassword(caller, { body, ip });
    }),
  ];
}
