import { verbs } from '../../access/port.ts';
import {
  arrayOf,
  closedObjectOf,
  guid,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
} from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';

const tag = 'the caller';
const password: JsonSchema = { ...text, format: 'password', minLength: 1 };
const profile = { fn: orNull({ ...text, maxLength: 128 }), ln: orNull({ ...text, maxLength: 128 }) };

/** What `handlers/app/self.ts` serves. */
export const selfOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/app/:org/user/me',
    operationId: 'readMe',
    tag,
    summary: 'Who is calling, as the platform knows the person now',
    access: 'token',
    replies: [{ status: 200, description: 'The caller.', content: jsonContent(schemaReference('AppCaller')) }],
  },
  {
    method: 'PUT',
    path: '/app/:org/user/me',
    operationId: 'updateMe',
    tag,
    summary: 'Changes the caller’s profile, and the `user` record of the workspace that the token is of',
    access: 'token',
    body: jsonContent(
      closedObjectOf({ ...profile, picture: orNull({ ...text, maxLength: 1024 }) }, ['fn', 'ln', 'picture']),
    ),
    replies: [{ status: 200, description: 'The caller.', content: jsonContent(schemaReference('AppCaller')) }],
    problems: ['validation_failed', 'unknown_field', 'conflict', 'plan_limit_exceeded'],
  },
  {
    method: 'POST',
    path: '/app/:org/user/password',
    operationId: 'changePassword',
    tag,
    summary: 'Changes the caller’s password; every token of the person ends, and the answer holds a fresh one',
    access: 'token',
    body: jsonContent(closedObjectOf({ current_password: password, new_password: password })),
    replies: [
      {
        status: 200,
        description: 'Changed.',
        content: jsonContent(schemaReference('AppToken')),
        headers: ['x-service-token'],
      },
    ],
    problems: ['validation_failed', 'unknown_field', 'credentials_invalid', 'conflict', 'rate_limited'],
  },
  {
    method: 'POST',
    path: '/app/:org/user/logout',
    operationId: 'endTokens',
    tag,
    summary: 'Ends the token, or with `everywhere` every token of the person',
    access: 'token',
    body: jsonContent(closedObjectOf({ everywhere: { type: 'boolean', default: false } }, ['everywhere'])),
    isBodyOptional: true,
    replies: [{ status: 204, description: 'Ended.' }],
    problems: ['validation_failed', 'unknown_field', 'conflict'],
  },
  {
    method: 'GET',
    path: '/app/:org/user/permissions',
    operationId: 'readPermissions',
    tag,
    summary: 'What the caller may do with the records of each entity',
    access: 'token',
    replies: [{ status: 200, description: 'The answers.', content: jsonContent(schemaReference('Permissions')) }],
    problems: ['workspace_required'],
  },
];

const answer: JsonSchema = { type: 'boolean' };

export const selfSchemas: Readonly<Record<string, JsonSchema>> = {
  AppCaller: objectOf(
    {
      id: guid,
      email: text,
      email_verified: { type: 'boolean' },
      fn: text,
      ln: text,
      picture: text,
      role: { ...text, description: 'A label of the app’s own: it grants nothing.' },
      tenant_id: orNull(guid),
      tenant_code: orNull(text),
    },
    ['picture'],
  ),
  Permissions: objectOf({
    entities: {
      type: 'object',
      additionalProperties: objectOf(Object.fromEntries(verbs.map((verb) => [verb, answer]))),
    },
    statements: { ...arrayOf({}), description: 'Those of the policies that the caller holds, as they are stored.' },
  }),
};
