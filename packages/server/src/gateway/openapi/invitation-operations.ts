import {
  arrayOf,
  closedObjectOf,
  guid,
  type JsonSchema,
  objectOf,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';

const tag = 'invitations';
const bad = ['validation_failed', 'unknown_field'] as const;

/** What `handlers/app/invitations.ts` serves. */
export const invitationOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/app/:org/user/invitations',
    operationId: 'createInvitation',
    tag,
    summary: 'Invites an email address into the workspace of the token',
    description:
      'Action `createinvitation`. A policy that it grants has to be one that the caller may grant; without one it grants what new members get.',
    access: 'token',
    body: jsonContent(
      closedObjectOf(
        { email: { ...text, format: 'email', maxLength: 254 }, role: { ...text, maxLength: 64 }, acl_policy_id: text },
        ['role', 'acl_policy_id'],
      ),
    ),
    replies: [{ status: 201, description: 'Invited.', content: jsonContent(schemaReference('IssuedInvitation')) }],
    problems: [...bad, 'workspace_required', 'escalation_refused', 'conflict', 'plan_limit_exceeded'],
  },
  {
    method: 'GET',
    path: '/app/:org/user/invitations',
    operationId: 'listInvitations',
    tag,
    summary: 'The open invitations of the workspace, the newest first',
    description: 'Action `listinvitation`.',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The invitations, without their codes.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('Invitation')) })),
      },
    ],
    problems: ['workspace_required'],
  },
  {
    method: 'DELETE',
    path: '/app/:org/user/invitations/:id',
    operationId: 'deleteInvitation',
    tag,
    summary: 'Takes an invitation back',
    description: 'Action `deleteinvitation`.',
    access: 'token',
    replies: [{ status: 204, description: 'The code is worth nothing any more.' }],
    problems: ['workspace_required', 'not_found'],
  },
  {
    method: 'POST',
    path: '/app/:org/user/invitations/:id/resend',
    operationId: 'resendInvitation',
    tag,
    summary: 'Gives an invitation a new code, and seven days again',
    description: 'Action `createinvitation`.',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The old code is worth nothing.',
        content: jsonContent(schemaReference('IssuedInvitation')),
      },
    ],
    problems: ['workspace_required', 'not_found', 'escalation_refused', 'conflict', 'plan_limit_exceeded'],
  },
  {
    method: 'GET',
    path: '/app/:org/user/invitations/mine',
    operationId: 'readMyInvitations',
    tag,
    summary: 'The open invitations for the caller’s email address',
    description: 'None before the address is verified: see `email_verified` of `/user/me`.',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The invitations, without their codes.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('ReceivedInvitation')) })),
      },
    ],
  },
  {
    method: 'POST',
    path: '/app/:org/user/acceptinvitation',
    operationId: 'acceptInvitation',
    tag,
    summary: 'Makes the caller a member by the code of an invitation, which is good once',
    access: 'token',
    body: jsonContent(closedObjectOf({ code: text })),
    replies: [
      {
        status: 200,
        description: 'A fresh token is of the workspace.',
        content: jsonContent(objectOf({ tenant_id: guid, tenant_code: text, name: text, current: { const: true } })),
      },
    ],
    problems: [...bad, 'not_found', 'escalation_refused', 'conflict', 'plan_limit_exceeded'],
  },
];

const role: JsonSchema = { ...text, description: 'A label of the app’s own: it grants nothing.' };

export const invitationSchemas: Readonly<Record<string, JsonSchema>> = {
  IssuedInvitation: objectOf({
    id: guid,
    code: { ...text, description: 'Shown here and never again.' },
    url: { ...text, description: 'The first of the app’s allowed origins, with `#invitation=` and the code.' },
    expires_at: time,
  }),
  Invitation: objectOf(
    {
      id: guid,
      email: text,
      role,
      acl_policy_id: guid,
      invited_by: guid,
      created_at: time,
      expires_at: time,
    },
    ['role', 'acl_policy_id'],
  ),
  ReceivedInvitation: objectOf({ id: guid, tenant_id: guid, tenant_code: text, name: text, role, expires_at: time }, [
    'role',
  ]),
};
