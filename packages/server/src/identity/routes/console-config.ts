import { consoleApi } from '@freehold/contract/management/console';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { OrgAccounts } from '../port.ts';
import type { Inbox } from '../../mail/inbox.ts';

export interface ConsoleServices {
  readonly accounts: OrgAccounts;
  readonly mode: 'development' | 'production';
  readonly inbox: Inbox | undefined;
}

/** What the console's pages need before their visitor has a session. */
export function consoleRoutes({ accounts, mode, inbox }: ConsoleServices): readonly AnyRoute[] {
  return [
    serve(consoleApi.readConsoleConfig, async () => ({
      mode,
      sign_up: await accounts.maySignUp(),
      inbox: inbox !== undefined,
    })),
  ];
}
