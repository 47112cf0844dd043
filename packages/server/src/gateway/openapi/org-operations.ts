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
import { jsonContent, type Operation, type Parameter } from './operation.ts';

/** On the routes that give a session. */
export const sessionHeader: Parameter = {
  name: 'X-Session',
  in: 'header',
  description: 'With `cookie` the token comes in an HttpOnly cookie, and not in the body.',
  schema: text,
};

/** Sessions and invitations: `handlers/management/accounts.ts`. */
const sessionOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/auth/accept-invitation',
    operationId: 'acceptInvitation',
    tag: 'account',
    summary: 'Comes into an org by an invitation’s code: with the account that has its email, or with a new one',
    access: 'public',
    parameters: [sessionHeader],
    body: jsonContent(
      closedObjectOf(
        {
          code: text,
          email: schemaReference('Email'),
          password: schemaReference('Password'),
          name: { ...text, minLength: 1, maxLength: 128, description: 'Needed for a new account.' },
        },
        ['email', 'name'],
      ),
    ),
    replies: [{ status: 200, description: 'Logged in.', content: jsonContent(schemaReference('LoggedIn')) }],
    problems: [
      'validation_failed',
      'unknown_field',
      'credentials_invalid',
      'escalation_refused',
      'not_found',
      'conflict',
      'rate_limited',
    ],
  },
  {
    method: 'POST',
    path: '/auth/switch-org',
    operationId: 'switchOrg',
    tag: 'account',
    summary: 'Makes a session in another org of the caller’s',
    access: 'token',
    body: jsonContent(closedObjectOf({ org: text })),
    replies: [{ status: 200, description: 'Switched.', content: jsonContent(schemaReference('LoggedIn')) }],
    problems: ['validation_failed', 'unknown_field', 'not_found', 'origin_refused'],
  },
  {
    method: 'GET',
    path: '/auth/sessions',
    operationId: 'listSessions',
    tag: 'account',
    summary: 'The caller’s own sessions',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The sessions, the oldest first.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('OrgSession')) })),
      },
    ],
  },
  {
    method: 'DELETE',
    path: '/auth/sessions/:id',
    operationId: 'endSession',
    tag: 'account',
    summary: 'Ends a session of the caller’s own',
    access: 'token',
    replies: [{ status: 204, description: 'Ended.' }],
    problems: ['not_found', 'origin_refused'],
  },
];

const role = schemaReference('OrgRole');
const shownUser = jsonContent(schemaReference('ShownOrgUser'));

/** `handlers/management/org.ts` */
const orgUserOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/org/environments/:env/rotate-client-id',
    operationId: 'rotateClientId',
    tag: 'account',
    summary: 'Gives an environment a new client id; the one before is good for another 24 hours',
    access: 'token',
    replies: [{ status: 200, description: 'The new id.', content: jsonContent(schemaReference('EnvironmentAccess')) }],
    problems: ['role_required', 'origin_refused', 'not_found', 'conflict'],
  },
  {
    method: 'GET',
    path: '/org/users',
    operationId: 'listOrgUsers',
    tag: 'org users',
    summary: 'Who is in the org, and who is invited',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'Members and invitations.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('ShownOrgUser')) })),
      },
    ],
    problems: ['role_required'],
  },
  {
    method: 'POST',
    path: '/org/users',
    operationId: 'inviteOrgUser',
    tag: 'org users',
    summary: 'Invites a person; the link is good once, for seven days, and told this once',
    access: 'token',
    body: jsonContent(closedObjectOf({ email: schemaReference('Email'), role })),
    replies: [{ status: 201, description: 'Invited.', content: jsonContent(schemaReference('Invited')) }],
    problems: ['validation_failed', 'unknown_field', 'role_required', 'origin_refused', 'conflict'],
  },
  {
    method: 'PUT',
    path: '/org/users/:id',
    operationId: 'changeOrgUser',
    tag: 'org users',
    summary: 'Gives a member or an invitation another role',
    access: 'token',
    body: jsonContent(closedObjectOf({ role })),
    replies: [{ status: 200, description: 'Changed.', content: shownUser }],
    problems: [
      'validation_failed',
      'unknown_field',
      'role_required',
      'origin_refused',
      'not_found',
      'last_admin',
      'conflict',
    ],
  },
  {
    method: 'DELETE',
    path: '/org/users/:id',
    operationId: 'removeOrgUser',
    tag: 'org users',
    summary: 'Removes a member, whose sessions in the org end at once, or withdraws an invitation',
    access: 'token',
    replies: [{ status: 204, description: 'Removed.' }],
    problems: ['role_required', 'origin_refused', 'not_found', 'last_admin', 'conflict'],
  },
];

export const orgOperations: readonly Operation[] = [...sessionOperations, ...orgUserOperations];

const invitation = { id: guid, email: text, role, status: { const: 'invited' }, expires_at: time };

export const orgSchemas: Readonly<Record<string, JsonSchema>> = {
  OrgSession: objectOf({
    id: guid,
    org: schemaReference('OrgCode'),
    created_at: time,
    expires_at: time,
    current: { type: 'boolean', description: 'Whether it is the one that asks.' },
  }),
  ShownOrgUser: objectOf(
    {
      id: guid,
      email: text,
      name: text,
      role,
      status: { ...text, enum: ['active', 'invited'] },
      joined_at: time,
      expires_at: { ...time, description: 'Until when an invitation is good.' },
    },
    ['name', 'joined_at', 'expires_at'],
  ),
  Invited: objectOf({ ...invitation, code: text, url: { ...text, format: 'uri' } }),
};
