import { Type } from '@sinclair/typebox';
import { IssuedInvitation } from '../../app/invitations.ts';
import { environment } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, guid, itemsOf, named, ofRecords, oneOf, text, time } from '../../schema.ts';

export const WorkspaceInvitation = named(
  'WorkspaceInvitation',
  Type.Object({
    id: guid,
    email: ofRecords(text),
    role: ofRecords(Type.String({ description: 'A label for the app’s own use: it grants nothing.' })),
    acl_policy_id: Type.Optional(guid),
    invited_by: Type.String({ format: 'uuid', description: 'A member of the workspace, or the org user.' }),
    is_by_builder: Type.Boolean({ description: 'Whether an org user has sent it.' }),
    created_at: time,
    expires_at: time,
  }),
);

const env = oneOf(['test', 'prod']);

export const workspaceInvitationsApi = {
  listWorkspaceInvitations: route({
    method: 'GET',
    path: '/org/workspaces/:tenant_code/invitations',
    access: 'developer',
    tag: 'workspaces',
    summary: 'The open invitations of a workspace',
    description: 'At most 500, the newest first.',
    query: closed({ env: environment }),
    replies: { 200: reply('The invitations, without their codes.', itemsOf(WorkspaceInvitation)) },
    problems: ['not_found'],
    production: { leftOut: 'emails and roles' },
  }),
  inviteToWorkspace: route({
    method: 'POST',
    path: '/org/workspaces/:tenant_code/invitations',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Invites an email address into a workspace',
    description:
      'In the name of the org. It may grant any policy of the workspace; without one the member gets the policy of new members. It admits no one once its sender is no longer an org admin.',
    body: closed({
      env,
      email: Type.String({ format: 'email', maxLength: 254 }),
      role: Type.Optional(Type.String({ maxLength: 64 })),
      acl_policy_id: Type.Optional(guid),
    }),
    replies: { 201: reply('Invited.', IssuedInvitation) },
    problems: ['not_found', 'conflict', 'workspace_suspended'],
    refusedAs: 'invitation.creation_refused',
  }),
  resendWorkspaceInvitation: route({
    method: 'POST',
    path: '/org/workspaces/:tenant_code/invitations/:id/resend',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Gives an invitation a new code',
    description: 'Valid for seven days, in the name of the org.',
    body: closed({ env }),
    replies: { 200: reply('The old code is no longer valid.', IssuedInvitation) },
    problems: ['not_found', 'conflict', 'workspace_suspended'],
    refusedAs: 'invitation.resending_refused',
  }),
  withdrawWorkspaceInvitation: route({
    method: 'DELETE',
    path: '/org/workspaces/:tenant_code/invitations/:id',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Withdraws an invitation of a workspace',
    query: closed({ env: environment }),
    replies: { 204: reply('The code is no longer valid.') },
    problems: ['not_found'],
    refusedAs: 'invitation.withdrawal_refused',
  }),
};
