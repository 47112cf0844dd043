import { appUsersApi } from '@freehold/contract/management/people/app-users';
import { requireTest } from '../../api/require-test.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { OrgAppUsers } from '../port.ts';
import type { Clock } from '../../lib/clock.ts';

export interface AppUserServices {
  readonly appUsers: OrgAppUsers;
  readonly clock: Clock;
}

/** The accounts of an app's users. They are people and no configuration, so production's are changed here too, but for new ones. */
export function appUserRoutes({ appUsers }: AppUserServices): readonly AnyRoute[] {
  return [
    serve(appUsersApi.listAppUsers, ({ query }, { org }) => {
      const { env, q, state, pagesize: pageSize, nexttoken } = query;
      return appUsers.list(org.code, { env, q, state, pageSize, nexttoken });
    }),
    serve(appUsersApi.createAppUser, (request, caller) => {
      const { env, ...wanted } = request.body;
      requireTest(env);
      const place = { env, orgCode: caller.org.code, ip: request.ip };
      return appUsers.create({ ...place, auditContext: caller.command.auditContext }, wanted);
    }),
    serve(appUsersApi.readAppUser, ({ params, query }, { org }) =>
      appUsers.show({ orgCode: org.code, env: query.env, id: params.id }),
    ),
    serve(appUsersApi.disableAppUser, async (request, caller) => {
      const { env, reason } = request.body;
      const command = { orgCode: caller.org.code, env, id: request.params.id };
      await appUsers.disable({ ...command, auditContext: caller.command.auditContext }, reason.trim());
    }),
    serve(appUsersApi.enableAppUser, async (request, caller) => {
      const { env, reason } = request.body;
      const command = { orgCode: caller.org.code, env, id: request.params.id };
      await appUsers.enable({ ...command, auditContext: caller.command.auditContext }, reason?.trim());
    }),
    serve(appUsersApi.revokeAppUserTokens, async (request, caller) => {
      const command = { orgCode: caller.org.code, env: request.body.env, id: request.params.id };
      await appUsers.revokeTokens({ ...command, auditContext: caller.command.auditContext });
    }),
  ];
}
