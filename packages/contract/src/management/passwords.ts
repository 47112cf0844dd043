import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { closed, text } from '../schema.ts';
import { Email, Password } from './accounts.ts';

export const passwordsApi = {
  changePassword: route({
    method: 'POST',
    path: '/auth/password',
    access: 'developer',
    tag: 'account',
    summary: 'Changes the caller’s password',
    description: 'Every other session of the user ends.',
    body: closed({
      current_password: Password,
      new_password: Type.String({ minLength: 10, description: 'At least 10 characters, at most 256 bytes.' }),
    }),
    replies: { 204: reply('Changed.') },
    problems: ['credentials_invalid', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'returns a token, and asks for the current password' },
  }),
  forgotPassword: route({
    method: 'POST',
    path: '/auth/forgot-password',
    access: 'public',
    tag: 'account',
    summary: 'Mails a password-reset link to the account with this email',
    description: 'The response is the same for every email, and nothing changes. 503 if no mail server is set up.',
    body: closed({ email: Email }),
    replies: { 202: reply('Taken.', closed({})) },
    problems: ['rate_limited'],
    repeats: {
      notRemembered: 'sends mail for an unknown caller, as often as its throttle allows',
    },
  }),
  resetPassword: route({
    method: 'POST',
    path: '/auth/reset-password',
    access: 'public',
    tag: 'account',
    summary: 'Sets a new password by a mailed code',
    description: 'The code is valid once; every session of the user ends.',
    body: closed({
      code: text,
      new_password: Type.String({ minLength: 10, description: 'At least 10 characters, at most 256 bytes.' }),
    }),
    replies: { 204: reply('Set.') },
    problems: ['not_found', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is valid once, so a repeated request is refused' },
  }),
};
