import { passwordsApi } from '@freehold/contract/management/passwords';
import { mailedUrl } from '../../api/console-cookie.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { AccountServices } from './accounts.ts';

/** The builder's own password. */
export function passwordRoutes({ accounts, site }: AccountServices): readonly AnyRoute[] {
  return [
    serve(passwordsApi.forgotPassword, ({ head, body, ip }) => {
      accounts.forgotPassword(body, { ip, siteUrl: mailedUrl(site, head) });
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
