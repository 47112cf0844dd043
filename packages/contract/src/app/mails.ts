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
    summary: 'Mails a password-reset link to the user with this email',
    description: 'The response is the same for every email, and nothing changes. 503 if no mail server is set up.',
    headers: [client_idHeader],
    body: closed({ email: Type.String({ format: 'email', maxLength: 254 }) }),
    replies: { 202: reply('Taken.', closed({})) },
    problems: ['client_unknown', 'credentials_invalid', 'not_found', 'rate_limited'],
    repeats: {
      notRemembered: 'sends mail for an unknown caller, as often as its throttle allows',
    },
  }),
  resetPassword: route({
    method: 'POST',
    path: '/app/:org/password/reset',
    access: 'public',
    tag: 'mailed codes',
    summary: 'Sets a new password by a mailed code',
    description: 'The code is valid once; every token of the user is revoked.',
    headers: [client_idHeader],
    body: closed({
      code: Type.String({ description: 'The part of the mailed link after `#…=`.' }),
      new_password: Type.String({
        format: 'password',
        minLength: 1,
        description: 'At least as long as `auth.password_login` requires.',
      }),
    }),
    replies: { 204: reply('Set; the email counts as verified.') },
    problems: ['client_unknown', 'credentials_invalid', 'not_found', 'conflict', 'rate_limited'],
    repeats: { notRemembered: 'takes a code that is valid once, so a repeated request is refused' },
  }),
  verifyEmail: route({
    method: 'POST',
    path: '/app/:org/verify-email',
    access: 'public',
    tag: 'mailed codes',
    summary: 'Verifies the user’s email by a mailed code',
    description: 'The code is valid once.',
    headers: [client_idHeader],
    body: closed({ code: Type.String({ description: 'The part of the mailed link after `#…=`.' }) }),
    replies: { 204: reply('Verified: the user’s next token has `email_verified` true.') },
    problems: ['client_unknown', 'not_found', 'conflict'],
    repeats: { notRemembered: 'takes a code that is valid once, so a repeated request is refused' },
  }),
  sendVerification: route({
    method: 'POST',
    path: '/app/:org/user/verification',
    access: 'self',
    tag: 'mailed codes',
    summary: 'Mails the caller another link that verifies the email',
    replies: { 202: reply('Taken.', closed({})) },
    problems: ['not_found', 'conflict', 'rate_limited'],
  }),
  sendJoinLink: route({
    method: 'POST',
    path: '/app/:org/user/join',
    access: 'self',
    tag: 'mailed codes',
    summary: 'Mails the link that joins an older account once more',
    description:
      'To a caller whose `GET /user/me` has `join`, since another account waits under the address: by a token of the provider that has verified the address, from a sign-in of the last hour. 409 for others.',
    replies: { 202: reply('Taken.', closed({})) },
    problems: ['access_denied', 'not_found', 'conflict', 'rate_limited'],
  }),
};
