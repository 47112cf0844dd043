import type { AppMails } from '../../../identity/port.ts';
import type { AppRoute } from '../../app-route.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';
import { clientId } from './sign-in.ts';

/** What a person does by the codes in his mails, and how he has them sent. */
export function mailRoutes(mails: AppMails): readonly AppRoute[] {
  return [
    {
      method: 'POST',
      path: '/app/:org/password/forgot',
      access: 'public',
      takesBody: true,
      handle: async (request) => {
        const { params, query, body, ip } = request;
        refuseParameters(query);
        await mails.forgotPassword(params.org ?? '', { clientId: clientId(request), body, ip });
        return json(202, {});
      },
    },
    {
      method: 'POST',
      path: '/app/:org/password/reset',
      access: 'public',
      takesBody: true,
      handle: async (request) => {
        refuseParameters(request.query);
        const { params, body, ip, requestId } = request;
        await mails.resetPassword(params.org ?? '', { clientId: clientId(request), body, ip, requestId });
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: '/app/:org/verify-email',
      access: 'public',
      takesBody: true,
      handle: async (request) => {
        refuseParameters(request.query);
        const { params, body, requestId } = request;
        await mails.verifyEmail(params.org ?? '', { clientId: clientId(request), body, requestId });
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/verification',
      access: 'self',
      handle: async ({ query, ip }, caller) => {
        refuseParameters(query);
        await mails.sendVerification(caller, ip);
        return json(202, {});
      },
    },
  ];
}
