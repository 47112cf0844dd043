import { invitationsApi } from '@freehold/contract/app/invitations';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import type { Invitations } from '../invitations/invitations.ts';

/** How people are asked into the workspace of the token, and come in. */
export function invitationRoutes(invitations: Invitations): readonly AnyRoute[] {
  return [
    serve(invitationsApi.createInvitation, ({ body }, context) => invitations.create(context, body), {
      readTexts: { email: emailKey },
    }),
    serve(invitationsApi.listInvitations, async (_request, context) => {
      const items = await invitations.list(context);
      // `list*` is given for the records of an app. Addresses are for those who may invite.
      return { items: context.allows('createinvitation') ? items : items.map(({ email: _, ...shown }) => shown) };
    }),
    serve(invitationsApi.deleteInvitation, async ({ params }, context) => {
      await invitations.remove(context, params.id);
    }),
    serve(invitationsApi.resendInvitation, ({ params }, context) => invitations.resend(context, params.id)),
    serve(invitationsApi.readMyInvitations, async (_request, { claims }) => {
      return { items: await invitations.mine(claims) };
    }),
    serve(invitationsApi.acceptInvitation, ({ body, requestId }, { claims }) =>
      invitations.accept(claims, body, requestId),
    ),
  ];
}
