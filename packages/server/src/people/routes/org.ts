import { deployApi } from '@freehold/contract/management/deploy';
import { orgUsersApi } from '@freehold/contract/management/org-users';
import { appUsersApi } from '@freehold/contract/management/people/app-users';
import { platformApi } from '@freehold/contract/management/platform';
import { serviceKeysApi } from '@freehold/contract/management/service-keys';
import { settingsApi } from '@freehold/contract/management/settings';
import { mailsOfAppApi } from '@freehold/contract/management/settings/mails';
import { providersApi } from '@freehold/contract/management/settings/providers';
import { suspendedAccountsApi } from '@freehold/contract/management/suspended-accounts';
import type { InputError } from '@freehold/contract/problem';
import { requireTest } from '../../api/environments.ts';
import { mailedUrl, siteUrl } from '../../api/headers/console-cookie.ts';
import { json } from '../../api/reply.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import type { OperatorLog } from '../../audit/operator-log.ts';
import type { PeopleRouteDeps } from '../people.ts';
import type { OrgCaller } from '../sessions/org-sessions.ts';

/** The org and who is in it. */
export function orgRoutes({ accounts, site }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(orgUsersApi.rotateClientId, ({ params }, { command }) => accounts.rotateClientId(command, params.env)),
    serve(orgUsersApi.listOrgUsers, async (_request, { org }) => ({ items: await accounts.users(org.code) })),
    serve(orgUsersApi.inviteOrgUser, async ({ head, body }, { command }) => {
      const invited = await accounts.invite({ ...command, siteUrl: mailedUrl(site, head) }, body);
      // Behind the `#`, so that no log on the way to the page holds the code.
      return { ...invited, url: `${siteUrl(site, head)}/accept-invitation#code=${invited.code}` };
    }),
    serve(orgUsersApi.changeOrgUser, ({ params: { id }, body }, { command }) =>
      accounts.changeUser({ ...command, id }, body),
    ),
    serve(orgUsersApi.removeOrgUser, async ({ params: { id } }, { command }) => {
      await accounts.removeUser({ ...command, id });
    }),
  ];
}

/** The keys of an org's servers. They belong to an environment and are no configuration, so also production's are made here. */
export function serviceKeyRoutes({ serviceKeys }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(serviceKeysApi.listServiceKeys, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return serviceKeys.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(serviceKeysApi.createServiceKey, ({ body }, { command }) => serviceKeys.create(command, body)),
    serve(serviceKeysApi.removeServiceKey, async ({ params: { id } }, { command }) => {
      await serviceKeys.remove({ ...command, id });
    }),
  ];
}

/** Keys for pipelines. Each route of promotion says which scope of a key opens it. */
export function deployKeyRoutes({ deployKeys }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(deployApi.listDeployKeys, async (_request, { org }) => {
      return { items: await deployKeys.list(org.code) };
    }),
    serve(deployApi.createDeployKey, ({ body }, { command }) => deployKeys.create(command, body)),
    serve(deployApi.removeDeployKey, async ({ params }, { command }) => {
      await deployKeys.remove(command, params.id);
    }),
  ];
}

/** The settings of an org. Every existing group of settings decides who gets in, so an admin changes them. */
export function settingRoutes({ settings, origins }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(settingsApi.listSettings, async (request, caller) => {
      const shown = settings(request.query.env, caller.command.auditContext);
      return { items: await shown.list(caller.org.code, request.query.group) };
    }),
    serve(settingsApi.changeSetting, async (request, caller) => {
      requireTest(request.query.env);
      const changed = settings('test', caller.command.auditContext);
      return await changed.put(caller.org.code, request.body);
    }),
    serve(settingsApi.listRefusedOrigins, (_request, { org }) => ({ items: origins.refused(org.code) })),
  ];
}

/** The texts of an app's mails, before they are settings. */
export function mailTextRoutes({ mailDrafts }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(mailsOfAppApi.listAppMails, async ({ query }, caller) => ({
      items: await mailDrafts.list(builderOf(caller), query.env),
    })),
    serve(mailsOfAppApi.previewAppMail, ({ params, query, body }, caller) =>
      mailDrafts.preview(builderOf(caller), { name: params.mail, env: query.env }, body),
    ),
    serve(mailsOfAppApi.sendTestMail, ({ params, body, ip }, caller) =>
      mailDrafts.sendTest({ ...builderOf(caller), ip }, params.mail, body),
    ),
  ];
}

function builderOf({ org, user }: OrgCaller) {
  return { org, email: user.email };
}

/** Checks of a sign-in provider, for a builder, before the app trusts it. */
export function providerRoutes({ providerTrials }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(providersApi.discoverProvider, ({ body }, { org }) => providerTrials.discover(org.code, body.issuer)),
    serve(
      providersApi.testSignIn,
      ({ query, body, requestId }, { org }) =>
        providerTrials.test({ env: query.env, orgCode: org.code, requestId }, body),
      { mistakes: testMistakes },
    ),
  ];
}

function testMistakes(body: unknown): readonly InputError[] {
  const isObject = typeof body === 'object' && body !== null;
  if (!isObject || 'id_token' in body !== 'code' in body) return [];
  return [{ pointer: '', code: 'wrong_type', message: 'the body must have either `id_token` or `code`' }];
}

/** Routes about the platform as a whole, for the operator. */
export function platformRoutes({ signingKeys, operatorLog, secondFactors }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(platformApi.listSigningKeys, (_request) => {
      return { items: signingKeys.list() };
    }),
    serveReply(platformApi.rotateSigningKeys, async ({ requestId }) => {
      const { key, isNew } = await signingKeys.rotate(auditKeyChange(operatorLog, requestId).made);
      return json(isNew ? 201 : 200, key);
    }),
    serve(platformApi.revokeSigningKey, async ({ params: { kid = '' }, requestId }) => {
      await signingKeys.revoke(kid, auditKeyChange(operatorLog, requestId));
    }),
    serve(platformApi.resetAccountFactors, ({ body: { email, reason } }, { auditContext }) => {
      return secondFactors.resetByOperator({ email, reason: reason.trim(), auditContext });
    }),
  ];
}

function auditKeyChange(operatorLog: OperatorLog, requestId: string) {
  const recordChange = (action: `signing_key.${string}`) => (kid: string) =>
    operatorLog.record(requestId, { action, target: { kind: 'signing_key', id: kid } });
  return { made: recordChange('signing_key.made'), revoked: recordChange('signing_key.revoked') };
}

/** The accounts of an app's users. They are people and no configuration, so production's are changed here too, but for new ones. */
export function appUserRoutes({ appUsers }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(appUsersApi.listAppUsers, ({ query }, { org }) => {
      const { env, q, state, pagesize: pageSize, nexttoken } = query;
      return appUsers.list(org.code, { env, q, state, pageSize, nexttoken });
    }),
    serve(appUsersApi.readAppUser, ({ params, query }, { org }) =>
      appUsers.show({ orgCode: org.code, env: query.env, id: params.id }),
    ),
    serve(appUsersApi.disableAppUser, async ({ params: { id }, body: { env, reason } }, { command }) => {
      await appUsers.disable({ ...command, env, id }, reason.trim());
    }),
    serve(appUsersApi.enableAppUser, async ({ params: { id }, body: { env, reason } }, { command }) => {
      await appUsers.enable({ ...command, env, id }, reason?.trim());
    }),
    serve(appUsersApi.revokeAppUserTokens, async ({ params: { id }, body: { env } }, { command }) => {
      await appUsers.revokeTokens({ ...command, env, id });
    }),
  ];
}

/** Accounts that have no way to sign in. They are people and no configuration, so production's are here too. */
export function suspendedAccountRoutes({ suspendedAccounts }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(suspendedAccountsApi.listSuspendedAccounts, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return suspendedAccounts.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(suspendedAccountsApi.mergeSuspendedAccount, ({ params: { id } }, { command }) =>
      suspendedAccounts.merge({ ...command, id }),
    ),
    serve(suspendedAccountsApi.removeSuspendedAccount, async ({ params: { id } }, { command }) => {
      await suspendedAccounts.remove({ ...command, id });
    }),
  ];
}

/** Lets a builder see an app as its users do. The conditions depend on the environment, which the body names. */
export function impersonationRoutes({ impersonate }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(serviceKeysApi.impersonate, (request, caller) =>
      impersonate(caller, caller.command.auditContext, request.body),
    ),
  ];
}
