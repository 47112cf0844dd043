import { suspendedAccountsApi } from '@freehold/contract/management/suspended-accounts';
import type { SuspendedAccounts } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { auditContextOf } from '../../pipeline/audit-context.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../../api/serve.ts';

export interface SuspendedAccountServices {
  readonly suspendedAccounts: SuspendedAccounts;
  readonly clock: Clock;
}

/** Accounts that have no way to sign in. They are people and no configuration, so production's are here too. */
export function suspendedAccountRoutes({
  suspendedAccounts,
  clock,
}: SuspendedAccountServices): readonly ManagementRoute[] {
  return [
    serve(suspendedAccountsApi.listSuspendedAccounts, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return suspendedAccounts.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(suspendedAccountsApi.mergeSuspendedAccount, (request, caller) => {
      const auditContext = auditContextOf(clock, request, caller);
      const place = { orgCode: caller.org.code, id: request.params.id, auditContext };
      return suspendedAccounts.merge(place);
    }),
    serve(suspendedAccountsApi.removeSuspendedAccount, async (request, caller) => {
      const auditContext = auditContextOf(clock, request, caller);
      await suspendedAccounts.remove({ orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
  ];
}
