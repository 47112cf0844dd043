import { mailsOfAppApi } from '@freehold/contract/management/settings/mails';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { OrgCaller } from '../org-users/org-accounts.ts';
import type { IdentityRouteDeps } from './deps.ts';

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
