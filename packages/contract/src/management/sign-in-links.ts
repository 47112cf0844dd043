import { Type } from '@sinclair/typebox';
import { sessionHeader } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, named, text, time } from '../schema.ts';
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
    summary: 'Makes a link that signs the caller in once, within 15 minutes; in development only',
    description: 'In production the response is 404.',
    replies: { 201: reply('Made. It is shown in this response only.', SignInLink) },
    problems: ['not_found'],
    repeats: { notRemembered: 'returns a code, which is never stored; every call returns another one' },
  }),
  signInByLink: route({
    method: 'POST',
    path: '/auth/sign-in-by-link',
    access: 'public',
    tag: 'account',
    summary: 'Creates a session by the code of a sign-in link, which is valid once; in development only',
    description: 'In production the response is 404. The page at `/sign-in/link` sends the code from behind its `#`.',
    headers: [sessionHeader],
    body: closed({ code: Type.String({ minLength: 1, maxLength: 128 }) }),
    replies: { 200: reply('Logged in.', LoggedIn) },
    problems: ['not_found', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is valid once, so a repeated request is refused' },
  }),
};
