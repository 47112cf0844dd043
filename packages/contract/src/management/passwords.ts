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
    summary: 'Changes the caller’s password; every other session of the person ends',
    body: closed({
      current_password: Password,
      new_password: Type.String({ minLength: 10, description: 'At least 10 characters, at most 256 bytes.' }),
    }),
    replies: { 204: reply('Changed.') },
    problems: ['credentials_invalid', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'gives a token, and asks for the password that was' },
  }),
  forgotPassword: route({
    method: 'POST',
    path: '/auth/forgot-password',
    access: 'public',
    tag: 'account',
    summary: 'Mails a link for a new password to the person who has an account with the email',
    description: 'The answer is the same for every email, and nothing changes by it. 503 where no mail is set up.',
    body: closed({ email: Email }),
    replies: { 202: reply('Taken.', closed({})) },
    problems: ['rate_limited'],
    repeats: {
      notRemembered: 'mails to an address, for a caller who is not known, and not more often than its brake lets it',
    },
  }),
  resetPassword: route({
    method: 'POST',
    path: '/auth/reset-password',
    access: 'public',
    tag: 'account',
    summary: 'Sets a new password by a mailed code, which is good once; every session of the person ends',
    body: closed({
      code: text,
      new_password: Type.String({ minLength: 10, description: 'At least 10 characters, at most 256 bytes.' }),
    }),
    replies: { 204: reply('Set.') },
    problems: ['not_found', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is good once, so a repetition is refused' },
  }),
};
