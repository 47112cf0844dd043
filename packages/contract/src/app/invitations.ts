import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { closed, guid, itemsOf, named, text, time } from '../schema.ts';

export const IssuedInvitation = named(
  'IssuedInvitation',
  Type.Object({
    id: guid,
    code: Type.String({ description: 'Shown in this response only.' }),
    url: Type.String({ description: 'The first of the app’s allowed origins, with `#invitation=` and the code.' }),
    expires_at: time,
  }),
);

export const Invitation = named(
  'Invitation',
  Type.Object({
    id: guid,
    email: Type.Optional(Type.String({ description: 'For callers who may invite: `createinvitation`.' })),
    role: Type.Optional(Type.String({ description: 'A label for the app’s own use: it grants nothing.' })),
    acl_policy_id: Type.Optional(guid),
    invited_by: guid,
    invited_by_kind: Type.Optional(
      Type.Literal('org_user', { description: 'Where a builder has sent it, who is no member of the workspace.' }),
    ),
    created_at: time,
    expires_at: time,
  }),
);

export const ReceivedInvitation = named(
  'ReceivedInvitation',
  Type.Object({
    id: guid,
    tenant_id: guid,
    tenant_code: text,
    name: text,
    role: Type.Optional(Type.String({ description: 'A label for the app’s own use: it grants nothing.' })),
    expires_at: time,
  }),
);

export const invitationsApi = {
  createInvitation: route({
    method: 'POST',
    path: '/app/:org/user/invitations',
    access: 'createinvitation',
    tag: 'invitations',
    summary: 'Invites an email address into the workspace of the token',
    description:
      'The caller must be allowed to grant the invitation’s policy; without one the member gets the policy of new members.',
    body: closed({
      email: Type.String({ format: 'email', maxLength: 254 }),
      role: Type.Optional(Type.String({ maxLength: 64 })),
      acl_policy_id: Type.Optional(guid),
    }),
    replies: { 201: reply('Invited.', IssuedInvitation) },
    problems: ['workspace_required', 'escalation_refused', 'conflict', 'plan_limit_exceeded'],
    isGated: true,
  }),
  listInvitations: route({
    method: 'GET',
    path: '/app/:org/user/invitations',
    access: 'listinvitation',
    tag: 'invitations',
    summary: 'The open invitations of the workspace, the newest first',
    replies: { 200: reply('The invitations, without their codes.', itemsOf(Invitation)) },
    problems: ['workspace_required'],
  }),
  deleteInvitation: route({
    method: 'DELETE',
    path: '/app/:org/user/invitations/:id',
    access: 'deleteinvitation',
    tag: 'invitations',
    summary: 'Withdraws an invitation',
    replies: { 204: reply('The code is no longer valid.') },
    problems: ['workspace_required', 'not_found'],
  }),
  resendInvitation: route({
    method: 'POST',
    path: '/app/:org/user/invitations/:id/resend',
    access: 'createinvitation',
    tag: 'invitations',
    summary: 'Gives an invitation a new code that is valid for seven days',
    replies: { 200: reply('The old code is no longer valid.', IssuedInvitation) },
    problems: ['workspace_required', 'not_found', 'escalation_refused', 'conflict', 'plan_limit_exceeded'],
    isGated: true,
  }),
  readMyInvitations: route({
    method: 'GET',
    path: '/app/:org/user/invitations/mine',
    access: 'self',
    tag: 'invitations',
    summary: 'The open invitations for the caller’s email address',
    description: 'Empty until the address is verified: see `email_verified` of `/user/me`.',
    replies: { 200: reply('The invitations, without their codes.', itemsOf(ReceivedInvitation)) },
  }),
  acceptInvitation: route({
    method: 'POST',
    path: '/app/:org/user/acceptinvitation',
    access: 'self',
    tag: 'invitations',
    summary: 'Makes the caller a member by an invitation',
    description: 'By the code of the invitation, which is valid once.',
    body: closed({ code: text }),
    replies: {
      200: reply(
        'The caller’s next token is for this workspace.',
        Type.Object({ tenant_id: guid, tenant_code: text, name: text, current: Type.Literal(true) }),
      ),
    },
    problems: ['not_found', 'escalation_refused', 'conflict', 'plan_limit_exceeded', 'workspace_suspended'],
    isGated: true,
  }),
};
