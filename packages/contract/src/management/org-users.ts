import { Type } from '@sinclair/typebox';
import { sessionHeader } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, count, guid, itemsOf, named, oneOf, text, time, title } from '../schema.ts';
import { SecondFactorStep } from './account/second-factor-step.ts';
import { Email, EnvironmentAccess, LoggedIn, Membership, OrgCode, OrgRole, Password } from './accounts.ts';

export const OrgSession = named(
  'OrgSession',
  Type.Object({
    id: guid,
    org: OrgCode,
    created_at: time,
    expires_at: time,
    current: Type.Boolean({ description: 'Whether the call uses this session.' }),
    client: Type.Optional(
      Type.String({
        description: 'What used the session last, in words from a list, if it is known.',
        examples: ['Firefox on Linux', 'command line'],
      }),
    ),
    last_used_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Noted once in ten minutes at most.' }),
    ),
  }),
);

export const ShownOrgUser = named(
  'ShownOrgUser',
  Type.Object({
    id: guid,
    email: text,
    name: Type.Optional(text),
    role: OrgRole,
    status: oneOf(['active', 'invited']),
    joined_at: Type.Optional(time),
    last_seen_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When a session of the member in the org was used last; noted once in ten minutes at most.',
      }),
    ),
    has_second_factor: Type.Optional(Type.Boolean({ description: 'Of a member.' })),
    expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'When the invitation expires.' })),
  }),
);

export const Invited = named(
  'Invited',
  Type.Object({
    id: guid,
    email: text,
    role: OrgRole,
    status: Type.Literal('invited'),
    expires_at: time,
    code: text,
    url: Type.String({ format: 'uri' }),
  }),
);

export const orgUsersApi = {
  acceptInvitation: route({
    method: 'POST',
    path: '/auth/accept-invitation',
    access: 'public',
    tag: 'account',
    summary: 'Joins an org by an invitation’s code',
    description: 'With the account of its email or with a new one. A new account needs a `name`.',
    headers: [sessionHeader],
    body: closed({
      code: text,
      email: Type.Optional(Email),
      password: Password,
      name: Type.Optional(title),
    }),
    replies: {
      200: reply('Logged in.', LoggedIn),
      202: reply(
        'The account has a second factor: the invitation is accepted when `POST /auth/second-factor` takes it.',
        SecondFactorStep,
      ),
    },
    problems: ['credentials_invalid', 'escalation_refused', 'not_found', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is valid once, so a repeated request is refused' },
  }),
  listOwnOrgs: route({
    method: 'GET',
    path: '/auth/orgs',
    access: 'developer',
    tag: 'account',
    summary: 'The orgs that the caller is a member of',
    replies: { 200: reply('All of them, by code.', itemsOf(Membership)) },
    takesUnprotected: true,
  }),
  switchOrg: route({
    method: 'POST',
    path: '/auth/switch-org',
    access: 'developer',
    tag: 'account',
    summary: 'Creates a session in another org of the caller',
    body: closed({ org: text }),
    replies: { 200: reply('Switched.', LoggedIn) },
    problems: ['not_found'],
    takesUnprotected: true,
    repeats: { notRemembered: 'returns a token, which is never stored; every call may return another one' },
  }),
  listSessions: route({
    method: 'GET',
    path: '/auth/sessions',
    access: 'developer',
    tag: 'account',
    summary: 'The caller’s own sessions',
    replies: { 200: reply('The sessions, the oldest first.', itemsOf(OrgSession)) },
  }),
  endOtherSessions: route({
    method: 'DELETE',
    path: '/auth/sessions',
    access: 'developer',
    tag: 'account',
    summary: 'Ends every other session of the caller',
    description: 'In all orgs.',
    replies: { 200: reply('Ended.', Type.Object({ ended: count })) },
  }),
  endSession: route({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    access: 'developer',
    tag: 'account',
    summary: 'Ends a session of the caller',
    replies: { 204: reply('Ended.') },
    problems: ['not_found'],
  }),
  rotateClientId: route({
    method: 'POST',
    path: '/org/environments/:env/rotate-client-id',
    access: 'org_admin',
    tag: 'account',
    summary: 'Gives an environment a new client id',
    description: 'The previous one stays valid for 24 hours.',
    replies: { 200: reply('The new id.', EnvironmentAccess) },
    problems: ['not_found', 'conflict'],
    refusedAs: 'client_id.rotation_refused',
  }),
  listOrgUsers: route({
    method: 'GET',
    path: '/org/users',
    access: 'org_admin',
    tag: 'org users',
    summary: 'The members of the org, and its open invitations',
    replies: { 200: reply('Members and invitations.', itemsOf(ShownOrgUser)) },
  }),
  inviteOrgUser: route({
    method: 'POST',
    path: '/org/users',
    access: 'org_admin',
    tag: 'org users',
    summary: 'Invites a person into the org',
    description: 'The link is valid once, for seven days, and shown in this response only.',
    body: closed({ email: Email, role: OrgRole }),
    replies: { 201: reply('Invited.', Invited) },
    problems: ['conflict'],
  }),
  changeOrgUser: route({
    method: 'PUT',
    path: '/org/users/:id',
    access: 'org_admin',
    tag: 'org users',
    summary: 'Gives a member or an invitation another role',
    body: closed({ role: OrgRole }),
    replies: { 200: reply('Changed.', ShownOrgUser) },
    problems: ['not_found', 'last_admin', 'conflict'],
  }),
  removeOrgUser: route({
    method: 'DELETE',
    path: '/org/users/:id',
    access: 'org_admin',
    tag: 'org users',
    summary: 'Removes a member, or withdraws an invitation',
    description: 'The sessions of the member in the org end at once.',
    replies: { 204: reply('Removed.') },
    problems: ['not_found', 'last_admin', 'conflict'],
  }),
};
