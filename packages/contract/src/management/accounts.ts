import { Type } from '@sinclair/typebox';
import { ifNoneMatch, sessionHeader } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { anyObject, closed, guid, named, oneOf, orNull, text, time, title } from '../schema.ts';
import { SecondFactorStep } from './account/second-factor-step.ts';

export const Email = named('Email', Type.String({ format: 'email', maxLength: 254 }));

export const Password = named('Password', Type.String({ format: 'password', minLength: 1 }));

export const OrgCode = named(
  'OrgCode',
  Type.String({
    pattern: '^[a-z][a-z0-9]{1,31}$',
    description: 'a lower-case letter and then 1 to 31 of `a-z`, `0-9`',
  }),
);

export const OrgRole = named('OrgRole', oneOf(['org_admin', 'developer']));

export const OrgUser = named('OrgUser', Type.Object({ id: guid, email: text, name: text }));

export const OrgName = named('OrgName', Type.Object({ code: OrgCode, name: text }));

export const AwaitedFounder = named(
  'AwaitedFounder',
  Type.Object(
    { email: orNull(text) },
    {
      description:
        'Of production, until its first admin has signed in: the address that becomes it. `null` where none is named.',
    },
  ),
);

export const EnvironmentAccess = named(
  'EnvironmentAccess',
  Type.Object({
    client_id: Type.String({ description: 'What apps send as `client_id`.' }),
    previous: Type.Optional(
      Type.Object(
        { client_id: text, until: time },
        { description: 'The previous client id, while it is still accepted.' },
      ),
    ),
    provisioned_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When production was provisioned.' }),
    ),
    awaited_founder: Type.Optional(AwaitedFounder),
  }),
);

export const Environments = named(
  'Environments',
  Type.Object({ test: EnvironmentAccess, prod: orNull(EnvironmentAccess) }),
);

/** The questions of an org about its members. */
export const OrgSecurity = named('OrgSecurity', closed({ second_factor: oneOf(['optional', 'required']) }));

export const Org = named(
  'Org',
  Type.Object({ code: OrgCode, name: text, plan: text, environments: Environments, security: OrgSecurity }),
);

export const SignedUp = named(
  'SignedUp',
  Type.Object({
    token: Type.Optional(Type.String({ description: 'Left out if the token is set as a cookie.' })),
    expires_at: time,
    user: OrgUser,
    org: Type.Object({ code: OrgCode, name: text, environments: Environments }),
  }),
);

export const Membership = named('Membership', Type.Object({ code: OrgCode, name: text, role: OrgRole }));

export const LoggedIn = named(
  'LoggedIn',
  Type.Object({
    token: Type.Optional(Type.String({ description: 'Left out if the token is set as a cookie.' })),
    expires_at: time,
    user: OrgUser,
    org: OrgName,
    orgs: Type.Array(Membership),
  }),
);

export const Caller = named(
  'Caller',
  Type.Object({
    user: OrgUser,
    org: Type.Object({ code: OrgCode, name: text, environments: Environments }),
    role: OrgRole,
    second_factor: Type.Object({
      enrolled: Type.Boolean({ description: 'Whether the account has a second factor.' }),
      required: Type.Boolean({ description: 'Whether the org of the session requires one.' }),
    }),
  }),
);

export const accountsApi = {
  signUp: route({
    method: 'POST',
    path: '/auth/signup',
    access: 'public',
    tag: 'account',
    summary: 'Creates a builder’s account, an org and a session',
    headers: [sessionHeader],
    body: closed({
      email: Email,
      password: Type.String({ minLength: 10, description: 'At least 10 characters, at most 256 bytes.' }),
      name: title,
      org_name: title,
      org_code: Type.Optional(OrgCode),
    }),
    replies: { 201: reply('Signed up.', SignedUp) },
    problems: ['signup_closed', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'returns a token, and an address can sign up once' },
  }),
  logIn: route({
    method: 'POST',
    path: '/auth/login',
    access: 'public',
    tag: 'account',
    summary: 'Creates a session',
    headers: [sessionHeader],
    body: closed({ email: Email, password: Password, org: Type.Optional(text) }),
    replies: {
      200: reply('Logged in.', LoggedIn),
      202: reply('The account has a second factor, which `POST /auth/second-factor` takes.', SecondFactorStep),
    },
    problems: ['credentials_invalid', 'rate_limited'],
    repeats: { notRemembered: 'returns a token, which is never stored; every call may return another one' },
  }),
  logOut: route({
    method: 'POST',
    path: '/auth/logout',
    access: 'developer',
    tag: 'account',
    summary: 'Ends the session',
    replies: { 204: reply('Ended.') },
    takesUnprotected: true,
    repeats: { notRemembered: 'ends the session that a repeated request would need' },
  }),
  readMe: route({
    method: 'GET',
    path: '/auth/me',
    access: 'developer',
    tag: 'account',
    summary: 'The caller’s account',
    replies: { 200: reply('The caller.', Caller) },
    takesUnprotected: true,
  }),
  readOrg: route({
    method: 'GET',
    path: '/org',
    access: 'developer',
    tag: 'account',
    summary: 'The org, its environments and their client ids',
    replies: { 200: reply('The org.', Org) },
  }),
  readOpenapi: route({
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    tag: 'operation',
    summary: 'This document',
    headers: [ifNoneMatch],
    compressed: 'document',
    replies: {
      200: reply('OpenAPI 3.1.', anyObject(), ['ETag']),
      304: reply('The caller’s copy is current.', ['ETag']),
    },
  }),
};
