import { mailsApi } from '@freehold/contract/app/mails';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { AppMails } from '../app-users/app-mails.ts';
import { clientId } from './sign-in.ts';

/** What a person does by the codes in his mails, and how he has them sent. */
export function mailRoutes(mails: AppMails): readonly AnyRoute[] {
  return [
    serve(mailsApi.forgotPassword, async (request) => {
      const { params, body, ip } = request;
      await mails.forgotPassword(params.org, { clientId: clientId(request), body, ip });
      return {};
    }),
    serve(mailsApi.resetPassword, async (request) => {
      const { params, body, ip, requestId } = request;
      await mails.resetPassword(params.org, { clientId: clientId(request), body, ip, requestId });
    }),
    serve(mailsApi.verifyEmail, async (request) => {
      const { params, body, requestId } = request;
      await mails.verifyEmail(params.org, { clientId: clientId(request), body, requestId });
    }),
    serve(mailsApi.sendVerification, async ({ ip }, caller) => {
      await mails.sendVerification(caller, ip);
      return {};
    }),
    serve(mailsApi.sendJoinLink, async ({ ip }, caller) => {
      await mails.sendJoinLink(caller, ip);
      return {};
    }),
  ];
}
