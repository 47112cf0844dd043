import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, guid, named, oneOf, pageOf, text, time } from '../schema.ts';

export const SuspendedAccount = named(
  'SuspendedAccount',
  Type.Object({
    env: oneOf(['test', 'prod']),
    user_id: Type.String({ format: 'uuid', description: 'Also of its `user` records.' }),
    email: text,
    proved_by: Type.String({ format: 'uuid', description: 'The account that has verified the address.' }),
    suspended_at: time,
  }),
);

export const suspendedAccountsApi = {
  listSuspendedAccounts: route({
    method: 'GET',
    path: '/org/suspended-accounts',
    access: 'org_admin',
    tag: 'suspended accounts',
    summary: 'The accounts whose password is suspended',
    description: 'Because another account has verified the email address.',
    query: closed({
      env: environment,
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(SuspendedAccount)) },
    problems: ['invalid_cursor'],
  }),
  mergeSuspendedAccount: route({
    method: 'POST',
    path: '/org/suspended-accounts/:id/merge',
    access: 'org_admin',
    tag: 'suspended accounts',
    summary: 'Merges a suspended account with the verified one',
    description:
      'With the account that has verified its address. From then on sign-ins to either account reach the suspended one, under its id, with the memberships of both. The old password stays invalid.',
    replies: {
      200: reply('The merged account.', Type.Object({ env: oneOf(['test', 'prod']), user_id: guid, email: text })),
    },
    problems: ['not_found', 'conflict'],
    refusedAs: 'app_user.merge_refused',
  }),
  removeSuspendedAccount: route({
    method: 'DELETE',
    path: '/org/suspended-accounts/:id',
    access: 'org_admin',
    tag: 'suspended accounts',
    summary: 'Removes the account with its memberships',
    replies: { 204: reply('Removed.') },
    problems: ['not_found', 'last_admin', 'conflict'],
    refusedAs: 'app_user.removal_refused',
  }),
};
