import { Type } from '@sinclair/typebox';
import { environment } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { anyObject, closed, named, oneOf, orNull, text } from '../../schema.ts';

const issuer = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'The issuer, as the provider writes it in `iss`.',
});

export const DiscoveredProvider = named(
  'DiscoveredProvider',
  Type.Object({
    issuer: text,
    jwks_uri: text,
    authorization_endpoint: orNull(text, { description: 'null if it is no address that a browser may be sent to.' }),
    token_endpoint: orNull(text),
    algorithms: Type.Array(text, {
      description: 'The algorithms of identity tokens that the provider names and the platform takes.',
    }),
    keys: Type.Integer({ minimum: 1, description: 'How many of its keys verify identity tokens.' }),
    scopes: Type.Array(text),
    claims: Type.Array(text),
    pkce: Type.Boolean({ description: 'Whether it names the challenge method `S256`.' }),
    public_clients: Type.Boolean({ description: 'Whether it names clients without a secret.' }),
  }),
);

export const signInChecks = [
  'form',
  'issuer',
  'signature',
  'audience',
  'times',
  'identity',
  'nonce',
  'account',
  'membership',
] as const;

export const SignInVerdict = named(
  'SignInVerdict',
  Type.Object({
    accepted: Type.Boolean({ description: 'Whether every check has passed.' }),
    checks: Type.Array(
      Type.Object({
        check: oneOf(signInChecks),
        state: oneOf(['passed', 'failed', 'not_reached']),
        code: Type.Optional(
          Type.String({ description: 'The code by which `GET /app/{org}/token` refuses the token.' }),
        ),
        reason: Type.Optional(text),
      }),
      { description: 'In their order. A token that fails one is not held to the next.' },
    ),
    claims: orNull(
      anyObject({ description: 'As the token has them: unproved unless the check `signature` has passed.' }),
    ),
    identity: orNull(
      Type.Object({
        iss: text,
        sub: text,
        email: Type.Optional(text),
        email_verified: Type.Boolean(),
        fn: text,
        ln: text,
        picture: Type.Optional(text),
      }),
      { description: 'What the platform reads of the claims.' },
    ),
    account: orNull(oneOf(['known', 'linked', 'new']), {
      description:
        '`known`: the identity has signed in before; `linked`: it would join the account that has verified the email; `new`: it would make an account.',
    }),
  }),
);

const code = closed(
  {
    issuer,
    client_id: Type.String({ minLength: 1, maxLength: 200 }),
    value: Type.String({ minLength: 1, maxLength: 4096, description: 'The authorization code.' }),
    verifier: Type.String({
      pattern: '^[A-Za-z0-9._~-]{43,128}$',
      description: 'a verifier of PKCE, of 43 to 128 characters',
    }),
    redirect_uri: Type.String({ minLength: 1, maxLength: 2048 }),
    nonce: Type.String({ minLength: 1, maxLength: 200 }),
  },
  {
    description:
      'What the provider sent the browser back with: the platform exchanges it as a client without a secret.',
  },
);

export const providersApi = {
  discoverProvider: route({
    method: 'POST',
    path: '/org/providers/discover',
    access: 'org_admin',
    tag: 'settings',
    summary: 'Reads what a sign-in provider publishes',
    description:
      'Its discovery document and its keys. Nothing is stored. The platform asks public addresses by https; in development also this machine, and by http. A refusal says at `/issuer` what failed.',
    body: closed({ issuer }),
    replies: { 200: reply('What it publishes.', DiscoveredProvider) },
    problems: ['rate_limited'],
    repeats: { notRemembered: 'changes nothing' },
  }),
  testSignIn: route({
    method: 'POST',
    path: '/org/providers/test',
    access: 'org_admin',
    tag: 'settings',
    summary: 'Says whether an identity token would be accepted',
    description:
      'By `GET /app/{org}/token`, check by check. Nothing is made or changed. Send `id_token`, or `code` to have it exchanged at the provider first.',
    query: closed({ env: environment }),
    body: closed({
      id_token: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
      code: Type.Optional(code),
      provider: Type.Optional(
        anyObject({
          description: 'An entry of `auth.issuers` that is not stored yet, in place of the stored one of its issuer.',
        }),
      ),
    }),
    replies: { 200: reply('The verdict.', SignInVerdict) },
    problems: ['rate_limited'],
    repeats: { notRemembered: 'changes nothing' },
  }),
};
