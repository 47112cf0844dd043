import { appUsersApi } from '@freehold/contract/management/people/app-users';
import { personJobsApi } from '@freehold/contract/management/people/person-jobs';
import { serviceKeysApi } from '@freehold/contract/management/service-keys';
import { suspendedAccountsApi } from '@freehold/contract/management/suspended-accounts';
import { requireTest } from '../../api/environments.ts';
import { fileReply } from '../../api/headers/file-format.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
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

/** How a builder gets to see an app as its users do. What it takes depends on the environment, which the body names. */
export function impersonationRoutes({ impersonate }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(serviceKeysApi.impersonate, (request, caller) =>
      impersonate(caller, caller.command.auditContext, request.body),
    ),
  ];
}

/** All that an org has of one of its app's users. People are no configuration, so production's are here too. */
export function personalDataRoutes({ personalData }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(personJobsApi.eraseAppUser, (request, caller) => {
      const { params, query, body } = request;
      const { env, records, confirm } = body;
      const auditContext = caller.command.auditContext;
      const command = { env, orgCode: caller.org.code, id: params.id, auditContext };
      return personalData.erase(command, { dryRun: query.dry_run, records, confirm });
    }),
    serve(personJobsApi.mergeAppUser, (request, caller) => {
      const { params, query, body } = request;
      const { env, into, seen } = body;
      const auditContext = caller.command.auditContext;
      const command = { env, orgCode: caller.org.code, id: params.id, auditContext };
      return personalData.merge(command, { dryRun: query.dry_run, into, seen });
    }),
    serve(personJobsApi.exportAppUser, (request, caller) => {
      const auditContext = caller.command.auditContext;
      const { env } = request.body;
      return personalData.export({ env, orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
    serve(personJobsApi.listPersonJobs, ({ query }, { org }) => {
      const { env, user_id: userId, pagesize: pageSize, nexttoken } = query;
      return personalData.list(org.code, { env, userId, pageSize, nexttoken });
    }),
    serve(personJobsApi.readPersonJob, ({ params, query }, { org }) =>
      personalData.show(org.code, query.env, params.id),
    ),
    serveReply(personJobsApi.readPersonFile, async (request, caller) => {
      const auditContext = caller.command.auditContext;
      const { id } = request.params;
      const command = { env: request.query.env, orgCode: caller.org.code, id, auditContext };
      // The head alone is no download.
      const isDownload = request.head.method !== 'HEAD';
      return fileReply(`person-${id}`, 'jsonl', await personalData.file(command, isDownload));
    }),
  ];
}
