import { suspendedAccountsApi } from '@freehold/contract/management/suspended-accounts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { SuspendedAccounts } from '../port.ts';
import type { Clock } from '../../lib/clock.ts';

export interface SuspendedAccountServices {
  readonly suspendedAccounts: SuspendedAccounts;
  readonly clock: Clock;
}

/** Accounts that have no way to sign in. They are people and no configuration, so production's are here too. */
export function suspendedAccountRoutes({ suspendedAccounts }: SuspendedAccountServices): readonly AnyRoute[] {
  return [
    serve(suspendedAccountsApi.listSuspendedAccounts, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return suspendedAccounts.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(suspendedAccountsApi.mergeSuspendedAccount, (request, caller) => {
      const auditContext = caller.command.auditContext;
      const place = { orgCode: caller.org.code, id: request.params.id, auditContext };
      return suspendedAccounts.merge(place);
    }),
    serve(suspendedAccountsApi.removeSuspendedAccount, async (request, caller) => {
      const auditContext = caller.command.auditContext;
      await suspendedAccounts.remove({ orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
  ];
}
