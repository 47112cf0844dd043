import { consoleApi } from '@freehold/contract/management/console';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** What the console's pages need before their visitor has a session. */
export function consoleRoutes({ accounts, mode, inbox }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(consoleApi.readConsoleConfig, async () => ({
      mode,
      sign_up: await accounts.maySignUp(),
      inbox: inbox !== undefined,
    })),
  ];
}
