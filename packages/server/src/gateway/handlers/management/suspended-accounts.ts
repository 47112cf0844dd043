import type { SuspendedAccounts } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readParameters } from '../../pipeline/management-query.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface SuspendedAccountServices {
  readonly suspendedAccounts: SuspendedAccounts;
  readonly clock: Clock;
}

/** What becomes of accounts that nobody can sign in to. They are people and no configuration, so production's are here too. */
export function suspendedAccountRoutes({
  suspendedAccounts,
  clock,
}: SuspendedAccountServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/org/suspended-accounts',
      access: 'org_admin',
      handle: async ({ query }, { org }) => {
        const { env, pagesize, nexttoken } = readParameters(query, [], ['pagesize', 'nexttoken']);
        return json(200, await suspendedAccounts.list(org.code, { env, pageSize: readPageSize(pagesize), nexttoken }));
      },
    },
    {
      method: 'POST',
      path: '/org/suspended-accounts/:id/merge',
      access: 'org_admin',
      refusedAs: 'app_user.merge_refused',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const occasion = occasionOf(clock, request, caller);
        const place = { orgCode: caller.org.code, id: request.params.id ?? '', occasion };
        return json(200, await suspendedAccounts.merge(place));
      },
    },
    {
      method: 'DELETE',
      path: '/org/suspended-accounts/:id',
      access: 'org_admin',
      refusedAs: 'app_user.removal_refused',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const occasion = occasionOf(clock, request, caller);
        await suspendedAccounts.remove({ orgCode: caller.org.code, id: request.params.id ?? '', occasion });
        return { status: 204 };
      },
    },
  ];
}
