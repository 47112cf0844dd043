import {
  arrayOf,
  guid,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { managementPageSize } from './audit-operations.ts';
import { nexttoken } from './list-parameters.ts';
import { jsonContent, type Operation } from './operation.ts';
import { env } from './parameters.ts';

const tag = 'suspended accounts';
const environment: JsonSchema = { ...text, enum: ['test', 'prod'] };

/** `handlers/management/suspended-accounts.ts` */
export const suspendedAccountOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/org/suspended-accounts',
    operationId: 'listSuspendedAccounts',
    tag,
    summary: 'The accounts whose password is suspended, since another account has proved the email address',
    access: 'token',
    parameters: [env, managementPageSize, nexttoken],
    replies: [
      {
        status: 200,
        description: 'A page.',
        content: jsonContent(
          objectOf({ items: arrayOf(schemaReference('SuspendedAccount')), nexttoken: orNull(text) }),
        ),
      },
    ],
    problems: ['role_required', 'invalid_cursor'],
  },
  {
    method: 'POST',
    path: '/org/suspended-accounts/:id/merge',
    operationId: 'mergeSuspendedAccount',
    tag,
    summary: 'Makes the account and the one that has proved its address one',
    description:
      'Sign-ins to either lead to the suspended one from then on, under its id, with the memberships of both. The old password stays dead.',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The account that both are now.',
        content: jsonContent(objectOf({ env: environment, user_id: guid, email: text })),
      },
    ],
    problems: ['role_required', 'origin_refused', 'not_found', 'conflict'],
  },
  {
    method: 'DELETE',
    path: '/org/suspended-accounts/:id',
    operationId: 'removeSuspendedAccount',
    tag,
    summary: 'Removes the account with its memberships',
    access: 'token',
    replies: [{ status: 204, description: 'Removed.' }],
    problems: ['role_required', 'origin_refused', 'not_found', 'last_admin', 'conflict'],
  },
];

export const suspendedAccountSchemas: Readonly<Record<string, JsonSchema>> = {
  SuspendedAccount: objectOf({
    env: environment,
    user_id: { ...guid, description: 'Also of its `user` records.' },
    email: text,
    proved_by: { ...guid, description: 'The account that has proved the address.' },
    suspended_at: time,
  }),
};
