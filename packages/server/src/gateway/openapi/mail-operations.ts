import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { clientId } from './client-id.ts';
import { jsonContent, type Operation } from './operation.ts';

const tag = 'mailed codes';
const code: JsonSchema = { ...text, description: 'From the link of the mail: what follows `=` behind the `#`.' };
const newPassword: JsonSchema = {
  ...text,
  format: 'password',
  minLength: 1,
  description: 'As long as `auth.password_login` says.',
};
const accepted = [{ status: 202, description: 'Taken.', content: jsonContent(closedObjectOf({})) }] as const;

/** What `handlers/app/mails.ts` serves. */
export const mailOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/app/:org/password/forgot',
    operationId: 'forgotPassword',
    tag,
    summary: 'Mails a link for a new password to whoever has one under the email',
    description: 'The answer is the same for every email, and nothing changes by it. 503 where no mail is set up.',
    access: 'public',
    parameters: [clientId],
    body: jsonContent(closedObjectOf({ email: { ...text, format: 'email', maxLength: 254 } })),
    replies: accepted,
    problems: [
      'validation_failed',
      'unknown_field',
      'client_unknown',
      'credentials_invalid',
      'not_found',
      'rate_limited',
    ],
  },
  {
    method: 'POST',
    path: '/app/:org/password/reset',
    operationId: 'resetPassword',
    tag,
    summary: 'Sets a new password by a mailed code, which is good once; every token of the person ends',
    access: 'public',
    parameters: [clientId],
    body: jsonContent(closedObjectOf({ code, new_password: newPassword })),
    replies: [{ status: 204, description: 'Set; the email counts as verified.' }],
    problems: [
      'validation_failed',
      'unknown_field',
      'client_unknown',
      'credentials_invalid',
      'not_found',
      'conflict',
      'rate_limited',
    ],
  },
  {
    method: 'POST',
    path: '/app/:org/verify-email',
    operationId: 'verifyEmail',
    tag,
    summary: 'Shows by a mailed code, which is good once, that the email is the person’s own',
    access: 'public',
    parameters: [clientId],
    body: jsonContent(closedObjectOf({ code })),
    replies: [{ status: 204, description: 'Verified: the next token says so.' }],
    problems: ['validation_failed', 'unknown_field', 'client_unknown', 'not_found', 'conflict'],
  },
  {
    method: 'POST',
    path: '/app/:org/user/verification',
    operationId: 'sendVerification',
    tag,
    summary: 'Mails the caller a link that verifies the email, once more',
    access: 'token',
    replies: accepted,
    problems: ['not_found', 'conflict', 'rate_limited'],
  },
];
