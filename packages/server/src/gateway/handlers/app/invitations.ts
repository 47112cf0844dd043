import { emailKey, type Invitations } from '../../../identity/port.ts';
import type { AppRoute } from '../../app-route.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

/** How people are asked into the workspace of the token, and come in. */
export function invitationRoutes(invitations: Invitations): readonly AppRoute[] {
  return [
    {
      method: 'POST',
      path: '/app/:org/user/invitations',
      access: 'createinvitation',
      isGated: true,
      takesBody: true,
      readTexts: { email: emailKey },
      handle: async ({ query, body }, context) => {
        refuseParameters(query);
        return json(201, await invitations.create(context, body));
      },
    },
    {
      method: 'GET',
      path: '/app/:org/user/invitations',
      access: 'listinvitation',
      handle: async ({ query }, context) => {
        refuseParameters(query);
        return json(200, { items: await invitations.list(context) });
      },
    },
    {
      method: 'DELETE',
      path: '/app/:org/user/invitations/:id',
      access: 'deleteinvitation',
      handle: async ({ query, params }, context) => {
        refuseParameters(query);
        await invitations.remove(context, params.id ?? '');
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/invitations/:id/resend',
      access: 'createinvitation',
      isGated: true,
      handle: async ({ query, params }, context) => {
        refuseParameters(query);
        return json(200, await invitations.resend(context, params.id ?? ''));
      },
    },
    {
      method: 'GET',
      path: '/app/:org/user/invitations/mine',
      access: 'self',
      handle: async ({ query }, { claims }) => {
        refuseParameters(query);
        return json(200, { items: await invitations.mine(claims) });
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/acceptinvitation',
      access: 'self',
      isGated: true,
      takesBody: true,
      handle: async ({ query, body, requestId }, { claims }) => {
        refuseParameters(query);
        return json(200, await invitations.accept(claims, body, requestId));
      },
    },
  ];
}
