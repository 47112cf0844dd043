import { settingsApi } from '@freehold/contract/management/settings';
import { mailsOfAppApi } from '@freehold/contract/management/settings/mails';
import { providersApi } from '@freehold/contract/management/settings/providers';
import type { InputError } from '@freehold/contract/problem';
import { requireTest } from '../../api/environments.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { OrgCaller } from '../org-users/org-accounts.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** What an org has settled. Every group of settings that there is decides who gets in, so an admin changes them. */
export function settingRoutes({ settings, origins }: IdentityRouteDeps): readonly AnyRoute[] {
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
export function mailTextRoutes({ mailDrafts }: IdentityRouteDeps): readonly AnyRoute[] {
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

/** What a builder finds out about a sign-in provider before the app trusts it. */
export function providerRoutes({ providerTrials }: IdentityRouteDeps): readonly AnyRoute[] {
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
