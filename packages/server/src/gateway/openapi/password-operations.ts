import { closedObjectOf, schemaReference, text } from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';

const newPassword = { ...text, minLength: 10, description: 'At least 10 characters, at most 256 bytes.' };

/** `handlers/management/passwords.ts` */
export const passwordOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/auth/password',
    operationId: 'changePassword',
    tag: 'account',
    summary: 'Changes the caller’s password; every other session of the person ends',
    access: 'token',
    body: jsonContent(closedObjectOf({ current_password: schemaReference('Password'), new_password: newPassword })),
    replies: [{ status: 204, description: 'Changed.' }],
    problems: [
      'validation_failed',
      'unknown_field',
      'credentials_invalid',
      'origin_refused',
      'conflict',
      'rate_limited',
    ],
  },
  {
    method: 'POST',
    path: '/auth/forgot-password',
    operationId: 'forgotPassword',
    tag: 'account',
    summary: 'Mails a link for a new password to whoever has an account with the email',
    description: 'The answer is the same for every email, and nothing changes by it. 503 where no mail is set up.',
    access: 'public',
    body: jsonContent(closedObjectOf({ email: schemaReference('Email') })),
    replies: [{ status: 202, description: 'Taken.', content: jsonContent(closedObjectOf({})) }],
    problems: ['validation_failed', 'unknown_field', 'rate_limited'],
  },
  {
    method: 'POST',
    path: '/auth/reset-password',
    operationId: 'resetPassword',
    tag: 'account',
    summary: 'Sets a new password by a mailed code, which is good once; every session of the person ends',
    access: 'public',
    body: jsonContent(closedObjectOf({ code: text, new_password: newPassword })),
    replies: [{ status: 204, description: 'Set.' }],
    problems: ['validation_failed', 'unknown_field', 'not_found', 'conflict', 'rate_limited'],
  },
];
