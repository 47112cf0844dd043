import { appUsersApi } from '@freehold/contract/management/people/app-users';
import { suspendedAccountsApi } from '@freehold/contract/management/suspended-accounts';
import { requireTest } from '../../api/environments.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** The accounts of an app's users. They are people and no configuration, so production's are changed here too, but for new ones. */
export function appUserRoutes({ appUsers }: IdentityRouteDeps): readonly AnyRoute[] {
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

/** Accounts that have no way to sign in. They are people and no configuration, so production's are here too. */
export function suspendedAccountRoutes({ suspendedAccounts }: IdentityRouteDeps): readonly AnyRoute[] {
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
