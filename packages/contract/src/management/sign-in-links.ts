import { Type } from '@sinclair/typebox';
import { sessionHeader } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, named, text, time } from '../schema.ts';
import { SecondFactorStep } from './account/second-factor-step.ts';
import { LoggedIn } from './accounts.ts';

export const SignInLink = named(
  'SignInLink',
  Type.Object({
    url: Type.String({
      format: 'uri',
      description: 'A page of the console, with the code behind the `#`, which browsers send to no server.',
    }),
    code: text,
    expires_at: time,
  }),
);

export const signInLinksApi = {
  createSignInLink: route({
    method: 'POST',
    path: '/auth/sign-in-links',
    access: 'developer',
    tag: 'account',
    summary: 'Makes a sign-in link for the caller',
    description: 'It is valid once, within 15 minutes; in development only. In production the response is 404.',
    replies: { 201: reply('Made. It is shown in this response only.', SignInLink) },
    problems: ['not_found'],
    repeats: { notRemembered: 'returns a code, which is never stored; every call returns another one' },
  }),
  signInByLink: route({
    method: 'POST',
    path: '/auth/sign-in-by-link',
    access: 'public',
    tag: 'account',
    summary: 'Creates a session by the code of a sign-in link',
    description:
      'The code is valid once; in development only. In production the response is 404. The page at `/sign-in/link` sends the code from behind its `#`.',
    headers: [sessionHeader],
    body: closed({ code: Type.String({ minLength: 1, maxLength: 128 }) }),
    replies: {
      200: reply('Logged in.', LoggedIn),
      202: reply('The account has a second factor, which `POST /auth/second-factor` takes.', SecondFactorStep),
    },
    problems: ['not_found', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is valid once, so a repeated request is refused' },
  }),
};

/** Sign-in of the command line through the console. */
export const CommandSignIn = named(
  'CommandSignIn',
  Type.Object({
    code: Type.Optional(
      Type.String({ description: 'What the command exchanges for a session, once; absent after a denial.' }),
    ),
    expires_at: time,
  }),
);

const base64url = (minLength: number, maxLength: number, description: string) =>
  Type.String({ minLength, maxLength, pattern: '^[A-Za-z0-9_-]+$', description });

export const commandSignInsApi = {
  decideCommandSignIn: route({
    method: 'POST',
    path: '/auth/command-sign-ins',
    access: 'developer',
    tag: 'account',
    summary: 'Lets a command sign in as the caller, or denies it',
    description:
      'Each sign-in is decided once. The code is valid once, for 5 minutes, while the session goes on that allowed it, for the org of that session, ' +
      'and with the verifier of the challenge alone. The console calls this when its user allows or denies a `freehold login`.',
    body: closed({
      challenge: base64url(43, 43, 'The SHA-256 of the verifier in base64url, as PKCE’s `S256`; there is no `plain`.'),
      allow: Type.Boolean(),
    }),
    replies: { 201: reply('Decided. The code is shown in this response only.', CommandSignIn) },
    problems: ['conflict', 'token_invalid'],
    repeats: { notRemembered: 'returns a code, which is never stored; a repeated request is refused' },
  }),
  signInCommand: route({
    method: 'POST',
    path: '/auth/command-sign-in',
    access: 'public',
    tag: 'account',
    summary: 'Creates a session for a command',
    description: 'By the code that a builder allowed the command, and by the command’s verifier.',
    body: closed({
      code: Type.String({ minLength: 1, maxLength: 128 }),
      verifier: base64url(43, 128, 'What the challenge is the SHA-256 of (RFC 7636).'),
      org: Type.Optional(
        Type.String({ description: 'The org that the command expects; a code for another one is refused.' }),
      ),
    }),
    replies: { 200: reply('Logged in.', LoggedIn) },
    problems: ['not_found', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is valid once, so a repeated request is refused' },
  }),
};
