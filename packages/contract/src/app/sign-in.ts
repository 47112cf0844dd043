import { Type } from '@sinclair/typebox';
import { client_idHeader, oauthtokenHeader } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, guid, named, orNull, text, time } from '../schema.ts';

export const LoginToken = named('LoginToken', Type.Object({ token: text, expires_at: time }));

export const SignInOffers = named(
  'SignInOffers',
  Type.Object({
    items: Type.Array(Type.Object({ issuer: text, name: text, client_ids: Type.Array(text) })),
    password_login: Type.Object({ enabled: Type.Boolean(), allow_signup: Type.Boolean() }),
  }),
);

export const AppToken = named(
  'AppToken',
  Type.Object({ token: text, expires_at: time, user_id: guid, tenant_id: orNull(guid), tenant_code: orNull(text) }),
);

export const signInApi = {
  logIn: route({
    method: 'POST',
    path: '/app/:org/login',
    access: 'public',
    tag: 'signing in',
    summary: 'Logs in by password; signs a new email up',
    headers: [client_idHeader],
    body: closed({
      email: Type.String({ format: 'email', maxLength: 254 }),
      password: Type.String({ format: 'password', minLength: 1, description: 'A new one has at least 10 characters.' }),
      signup: Type.Optional(
        Type.Boolean({ description: '`false` makes no account of a new email: it is refused as a wrong password is.' }),
      ),
    }),
    replies: { 200: reply('Logged in.', LoginToken) },
    problems: ['client_unknown', 'credentials_invalid', 'account_disabled', 'not_found', 'rate_limited'],
    isMetered: true,
    repeats: { notRemembered: 'returns a token, which is never stored; every call may return another one' },
  }),
  exchangeToken: route({
    method: 'GET',
    path: '/app/:org/token',
    access: 'public',
    tag: 'signing in',
    summary: 'Exchanges a token for a fresh app JWT',
    description: 'A login token, a provider’s identity token, or an app JWT.',
    query: closed({
      tenant_code: Type.Optional(
        Type.String({
          description:
            'The code of the workspace that the app JWT is for, of which the user must be a member (404). Left out, it is for the workspace that the user chose last.',
        }),
      ),
    }),
    headers: [client_idHeader, oauthtokenHeader],
    replies: { 200: reply('The app JWT, in the header and in the body.', AppToken, ['x-service-token']) },
    problems: [
      'invalid_request',
      'token_missing',
      'token_invalid',
      'token_expired',
      'client_unknown',
      'issuer_not_allowed',
      'audience_mismatch',
      'account_disabled',
      'workspace_suspended',
      'not_found',
      'conflict',
      'plan_limit_exceeded',
    ],
    isMetered: true,
  }),
  listProviders: route({
    method: 'GET',
    path: '/app/:org/providers',
    access: 'public',
    tag: 'signing in',
    summary: 'How users of the app may sign in',
    description: 'With an email, how that user may.',
    query: closed({
      email: Type.Optional(Type.String({ description: 'The address of the person who wants to sign in.' })),
    }),
    headers: [client_idHeader],
    replies: { 200: reply('The providers.', SignInOffers) },
    problems: ['invalid_request', 'client_unknown', 'not_found'],
  }),
  readSigningKeys: route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    access: 'public',
    tag: 'signing in',
    summary: 'The public keys that app JWTs are verified by (RFC 7517)',
    replies: {
      200: reply(
        'The keys.',
        Type.Object({ keys: Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true })) }),
      ),
    },
  }),
  readIssuer: route({
    method: 'GET',
    path: '/.well-known/openid-configuration',
    access: 'public',
    tag: 'signing in',
    summary: 'What verifiers of app JWTs find by their `iss`',
    description: 'If it is an address, by OpenID Connect Discovery.',
    replies: {
      200: reply(
        'The issuer and its keys. People sign in by the routes of an app, so no endpoints are named.',
        named(
          'TokenIssuer',
          Type.Object({
            issuer: text,
            jwks_uri: text,
            id_token_signing_alg_values_supported: Type.Array(text),
            subject_types_supported: Type.Array(text),
            response_types_supported: Type.Array(text),
          }),
        ),
      ),
    },
    problems: ['not_found'],
  }),
};
