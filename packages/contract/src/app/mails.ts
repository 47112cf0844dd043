import { Type } from '@sinclair/typebox';
import { client_idHeader } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed } from '../schema.ts';

export const mailsApi = {
  forgotPassword: route({
    method: 'POST',
    path: '/app/:org/password/forgot',
    access: 'public',
    tag: 'mailed codes',
    summary: 'Mails a link for a new password to the person who has one under the email',
    description: 'The answer is the same for every email, and nothing changes by it. 503 where no mail is set up.',
    headers: [client_idHeader],
    body: closed({ email: Type.String({ format: 'email', maxLength: 254 }) }),
    replies: { 202: reply('Taken.', closed({})) },
    problems: ['client_unknown', 'credentials_invalid', 'not_found', 'rate_limited'],
    repeats: {
      notRemembered: 'mails to an address, for a caller who is not known, and not more often than its brake lets it',
    },
  }),
  resetPassword: route({
    method: 'POST',
    path: '/app/:org/password/reset',
    access: 'public',
    tag: 'mailed codes',
    summary: 'Sets a new password by a mailed code, which is good once; every token of the person ends',
    headers: [client_idHeader],
    body: closed({
      code: Type.String({ description: 'From the link of the mail: what follows `=` behind the `#`.' }),
      new_password: Type.String({
        format: 'password',
        minLength: 1,
        description: 'As long as `auth.password_login` says.',
      }),
    }),
    replies: { 204: reply('Set; the email counts as verified.') },
    problems: ['client_unknown', 'credentials_invalid', 'not_found', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is good once, so a repetition is refused' },
  }),
  verifyEmail: route({
    method: 'POST',
    path: '/app/:org/verify-email',
    access: 'public',
    tag: 'mailed codes',
    summary: 'Shows by a mailed code, which is good once, that the email is the person’s own',
    headers: [client_idHeader],
    body: closed({ code: Type.String({ description: 'From the link of the mail: what follows `=` behind the `#`.' }) }),
    replies: { 204: reply('Verified: the next token says so.') },
    problems: ['client_unknown', 'not_found', 'conflict'],
    repeats: { notRemembered: 'takes a code that is good once, so a repetition is refused' },
  }),
  sendVerification: route({
    method: 'POST',
    path: '/app/:org/user/verification',
    access: 'self',
    tag: 'mailed codes',
    summary: 'Mails the caller a link that verifies the email, once more',
    replies: { 202: reply('Taken.', closed({})) },
    problems: ['not_found', 'conflict', 'rate_limited'],
  }),
};
