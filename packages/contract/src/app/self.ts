import { Type } from '@sinclair/typebox';
import { documentView, ifNoneMatch } from '../parameters.ts';
import { renamedFields } from '../renamed-fields.ts';
import { reply, route } from '../route.ts';
import { anyObject, byVerb, closed, guid, named, orNull, policyStatement, recordOf, text, time } from '../schema.ts';
import { AppToken } from './sign-in.ts';

export const AppCaller = named(
  'AppCaller',
  Type.Object({
    id: guid,
    email: text,
    email_verified: Type.Boolean(),
    fn: text,
    ln: text,
    picture: Type.Optional(text),
    role: Type.String({ description: 'A label for the app’s own use: it grants nothing.' }),
    tenant_id: orNull(guid),
    tenant_code: orNull(text),
    join: Type.Optional(
      Type.Object(
        { since: time },
        {
          description:
            'An account with a suspended password has the address of the caller, who may join it by a mailed link.',
        },
      ),
    ),
  }),
);

export const Permissions = named(
  'Permissions',
  Type.Object({
    entities: recordOf(byVerb(Type.Boolean())),
    logicblocks: Type.Array(text, { description: 'The logic blocks that the caller may run, by name.' }),
    statements: Type.Array(policyStatement, {
      description: 'The statements of the caller’s policies, as they are stored.',
    }),
    renamed: Type.Optional(
      recordOf(renamedFields, { description: 'The fields that these statements mean by other names, by entity.' }),
    ),
  }),
);

export const selfApi = {
  readMe: route({
    method: 'GET',
    path: '/app/:org/user/me',
    access: 'self',
    tag: 'the caller',
    summary: 'The caller’s current profile and membership',
    replies: { 200: reply('The caller.', AppCaller) },
    takesAnyone: true,
  }),
  updateMe: route({
    method: 'PUT',
    path: '/app/:org/user/me',
    access: 'self',
    tag: 'the caller',
    summary: 'Changes the caller’s profile',
    description: 'Also the `user` record in the token’s workspace.',
    body: closed({
      fn: Type.Optional(orNull(Type.String({ maxLength: 128 }))),
      ln: Type.Optional(orNull(Type.String({ maxLength: 128 }))),
      picture: Type.Optional(orNull(Type.String({ maxLength: 1024 }))),
    }),
    replies: { 200: reply('The caller.', AppCaller) },
    problems: ['conflict', 'plan_limit_exceeded'],
    isGated: true,
  }),
  changePassword: route({
    method: 'POST',
    path: '/app/:org/user/password',
    access: 'self',
    tag: 'the caller',
    summary: 'Changes the caller’s password',
    description: 'Revokes every token of the user, and returns a new one.',
    body: closed({
      current_password: Type.String({ format: 'password', minLength: 1 }),
      new_password: Type.String({ format: 'password', minLength: 1 }),
    }),
    replies: { 200: reply('Changed.', AppToken, ['x-service-token']) },
    problems: ['credentials_invalid', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'asks for the current password, so a repeated request is refused' },
  }),
  endTokens: route({
    method: 'POST',
    path: '/app/:org/user/logout',
    access: 'self',
    tag: 'the caller',
    summary: 'Revokes the token, or every token of the user',
    description: 'With `everywhere` every one.',
    body: closed({ everywhere: Type.Optional(Type.Boolean({ description: 'Left out, `false`.' })) }),
    isBodyOptional: true,
    replies: { 204: reply('Ended.') },
    problems: ['conflict'],
    repeats: { notRemembered: 'revokes the token that a repeated request would need' },
  }),
  readPermissions: route({
    method: 'GET',
    path: '/app/:org/user/permissions',
    access: 'self',
    tag: 'the caller',
    summary: 'What the caller may do',
    description: 'With the records of each entity, and which logic blocks the caller may run.',
    replies: { 200: reply('The answers.', Permissions) },
    problems: ['workspace_required'],
    takesAnyone: true,
  }),
  readOpenapi: route({
    method: 'GET',
    path: '/app/:org/openapi.json',
    access: 'self',
    tag: 'operation',
    summary: 'This document',
    query: closed({ view: documentView }),
    headers: [ifNoneMatch],
    compressed: 'document',
    replies: {
      200: reply('OpenAPI 3.1.', anyObject(), ['ETag']),
      304: reply('The caller’s copy is current.', ['ETag']),
    },
    takesAnyone: true,
  }),
  readDocs: route({
    method: 'GET',
    path: '/app/:org/docs',
    access: 'public',
    tag: 'operation',
    summary: 'A page that shows this document',
    description:
      'To a user of the app, who signs in on it. The page is the same for every code, also for one that no org has.',
    replies: { 200: { description: 'The page.', content: { 'text/html': text } } },
    problems: ['not_found'],
  }),
  readDocsFile: route({
    method: 'GET',
    path: '/docs/assets/:name',
    access: 'public',
    tag: 'operation',
    summary: 'A script or a style sheet of that page',
    replies: {
      200: { description: 'The file.', content: { 'text/javascript': text, 'text/css': text, 'image/svg+xml': text } },
    },
    problems: ['not_found'],
  }),
};
