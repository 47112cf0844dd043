import { Type } from '@sinclair/typebox';
import { WorkspaceCode } from '../../app/workspaces.ts';
import { environment, nexttoken, pagesize } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, guid, named, ofRecords, oneOf, orNull, pageOf, reason, text, time } from '../../schema.ts';

const members = {
  id: guid,
  email: ofRecords(text),
  email_verified: Type.Boolean(),
  fn: ofRecords(text),
  ln: ofRecords(text),
  state: oneOf(['active', 'disabled', 'password_suspended', 'merged', 'erasing'], {
    description:
      'A `disabled` account opens nothing until an org admin enables it. The password of a `password_suspended` one is suspended, because another account has verified the address. A `merged` one has become part of another. An `erasing` one opens nothing, and is gone when its job is done.',
  }),
  created_at: time,
};

export const AppUser = named('AppUser', Type.Object(members));

export const AppUserDetails = named(
  'AppUserDetails',
  Type.Object({
    ...members,
    has_password: Type.Boolean(),
    providers: Type.Array(Type.Object({ issuer: text, subject: ofRecords(text), linked_at: time }), {
      description:
        'The identities at providers that sign in to the account. One of an earlier release is shown from its next sign-in on.',
    }),
    tokens_revoked_at: orNull(time, {
      description: 'When all tokens of the user were revoked last, if that is known.',
    }),
    disabled: orNull(
      Type.Object({ at: time, by: Type.String({ format: 'uuid', description: 'The org user.' }), reason: text }),
    ),
    proved_by: orNull(guid, {
      description: 'The account that has verified the address, for which the password of this one is suspended.',
    }),
    suspends: orNull(guid, { description: 'The account whose password is suspended for this one.' }),
    merged_into: orNull(guid, { description: 'The account that this one has become part of.' }),
    memberships: Type.Array(
      Type.Object({
        tenant_id: guid,
        tenant_code: text,
        name: text,
        role: ofRecords(text),
        status: ofRecords(Type.String({ description: 'Only an `active` member is let in.' })),
        joined_at: time,
      }),
      { description: 'By the code of the workspace.' },
    ),
  }),
);

export const MadeAppUser = named(
  'MadeAppUser',
  Type.Object({
    id: guid,
    email: text,
    tenant_id: guid,
    tenant_code: text,
    password: orNull(text, {
      description: 'The password of the account, which is shown in this response only; null where it was mailed.',
    }),
  }),
);

const env = oneOf(['test', 'prod']);

export const appUsersApi = {
  listAppUsers: route({
    method: 'GET',
    path: '/org/app-users',
    access: 'developer',
    tag: 'app users',
    summary: 'The accounts of the org’s app',
    description: 'In an environment, the newest first.',
    query: closed({
      env: environment,
      q: Type.Optional(
        Type.String({
          maxLength: 254,
          description:
            'Only accounts whose email starts with this, by email; or the account with this id. An account of an earlier release that signs in by a provider, with an email that is not verified, is found by its email from its next sign-in on.',
        }),
      ),
      state: Type.Optional(
        oneOf(['active', 'disabled', 'password_suspended'], { description: 'Only accounts in this state.' }),
      ),
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page. It may be short; with a `nexttoken` there may be more.', pageOf(AppUser)) },
    problems: ['invalid_cursor'],
    production: { refused: ['q'], leftOut: 'emails and names' },
  }),
  createAppUser: route({
    method: 'POST',
    path: '/org/app-users',
    access: 'org_admin',
    tag: 'app users',
    summary: 'Creates an account of the app in the test environment',
    description:
      'With a password, as a member of a workspace. The user joins as by a first sign-in. With `single` tenancy the first one founds the workspace `main`; the first one in a workspace that a builder has made is its admin; any other gets the policy of new members. The password is mailed where the platform sends mail, and is in the response where it does not. In production users sign up themselves, or are invited.',
    body: closed({ env, tenant_code: WorkspaceCode, email: Type.String({ format: 'email', maxLength: 254 }) }),
    replies: { 201: reply('Created.', MadeAppUser) },
    problems: ['prod_read_only', 'conflict', 'workspace_suspended', 'rate_limited', 'plan_limit_exceeded'],
    refusedAs: 'app_user.creation_refused',
  }),
  readAppUser: route({
    method: 'GET',
    path: '/org/app-users/:id',
    access: 'developer',
    tag: 'app users',
    summary: 'An account of the org’s app',
    description: 'With its identities and its workspaces.',
    query: closed({ env: environment }),
    replies: { 200: reply('The account.', AppUserDetails) },
    problems: ['not_found'],
    production: { leftOut: 'the email and names, the subjects at providers, and the role and status in workspaces' },
  }),
  disableAppUser: route({
    method: 'POST',
    path: '/org/app-users/:id/disable',
    access: 'org_admin',
    tag: 'app users',
    summary: 'Disables an account',
    description:
      'Its tokens end, and it can neither sign in nor get a token. Its memberships, policies and records stay. The audit log keeps the reason; the user is not shown it. Later calls of the user answer 403 `account_disabled`, on other nodes within a second, and within `acl.cache_seconds` while they hear no signals.',
    body: closed({ env, reason }),
    replies: { 204: reply('Disabled.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'app_user.disabling_refused',
  }),
  enableAppUser: route({
    method: 'POST',
    path: '/org/app-users/:id/enable',
    access: 'org_admin',
    tag: 'app users',
    summary: 'Enables a disabled account: the user may sign in again',
    description: 'Tokens from before stay invalid.',
    body: closed({ env, reason: Type.Optional(reason) }),
    replies: { 204: reply('Enabled.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'app_user.enabling_refused',
  }),
  revokeAppUserTokens: route({
    method: 'POST',
    path: '/org/app-users/:id/revoke-tokens',
    access: 'org_admin',
    tag: 'app users',
    summary: 'Signs a user out everywhere',
    description: 'Every token of the account ends, and the user may sign in again.',
    body: closed({ env }),
    replies: { 204: reply('Revoked.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'app_user.token_revocation_refused',
  }),
};
