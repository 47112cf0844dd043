import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, count, guid, linesOf, named, oneOf, orNull, pageOf, text, time } from '../../schema.ts';

const env = oneOf(['test', 'prod']);

const counts = Type.Object({
  accounts: Type.Integer({ minimum: 0, description: 'The account, and the accounts that were merged into it.' }),
  identities: Type.Integer({ minimum: 0, description: 'Sign-ins by a password or a provider that lead to these.' }),
  memberships: count,
  invitations: Type.Integer({ minimum: 0, description: 'Open invitations to the email addresses of the accounts.' }),
  owned: Type.Integer({ minimum: 0, description: 'Records that name the person in the field of an owner index.' }),
  created: Type.Integer({ minimum: 0, description: 'Other records that the person created.' }),
  linked: Type.Integer({
    minimum: 0,
    description: 'Other records that name the person in a lookup of `user`, or as their last editor.',
  }),
  named: Type.Integer({
    minimum: 0,
    description: 'Other records in whose values the id of the person stands. No job changes these values.',
  }),
  removed: Type.Integer({ minimum: 0, description: 'Records that were removed.' }),
  changed: Type.Integer({
    minimum: 0,
    description: 'Records from which the person was taken, or which name another account.',
  }),
});

/** Whose other members differ by its kind. */
const PersonLine = Type.Object(
  { kind: oneOf(['export', 'account', 'identity', 'membership', 'invitation', 'record', 'end']) },
  { additionalProperties: true },
);

export const PersonJob = named(
  'PersonJob',
  Type.Object({
    id: guid,
    kind: oneOf(['erase', 'export', 'merge']),
    env,
    user_id: guid,
    dry_run: Type.Boolean({ description: 'A dry run counts and changes nothing.' }),
    state: oneOf(['queued', 'running', 'done', 'failed']),
    error: orNull(Type.Object({ code: text, message: text }), { description: 'Why the job has failed.' }),
    records: orNull(oneOf(['keep', 'delete_owned', 'delete_created']), {
      description: 'Of an erase: what becomes of the records of the person.',
    }),
    into: orNull(guid, { description: 'Of a merge: the account that stays.' }),
    gains: Type.Array(
      Type.Object({
        tenant_code: text,
        joins: Type.Boolean({ description: 'The account that stays was no member before.' }),
        role: Type.String({ description: 'The role that it has then.' }),
        suspended: Type.Boolean({ description: 'One of the two memberships is not active, so the merged one is not.' }),
        policies: Type.Array(text, { description: 'The first 20 policies that it gains, also by groups.' }),
        policies_total: count,
      }),
      { description: 'Of a merge: what the account that stays gains in each workspace of the other one.' },
    ),
    seen: orNull(text, { description: 'Of a dry run of a merge: what the merge is to be sent with.' }),
    created_at: time,
    finished_at: orNull(time),
    requested_by: Type.String({ format: 'uuid', description: 'The org user.' }),
    counts: {
      ...counts,
      description: 'A job that is killed goes on, and may leave up to 100 records out of its counts.',
    },
    workspaces: Type.Array(
      Type.Object({
        tenant_code: text,
        member: Type.Boolean(),
        records: Type.Integer({ minimum: 0, description: 'That are the person’s or name the person.' }),
      }),
      { description: 'The first 200 workspaces in which something of the person was found.' },
    ),
    problems: Type.Array(Type.Object({ tenant_code: text, entity: text, id: guid, code: text, message: text }), {
      description: 'The first 100 records that could not be removed or changed.',
    }),
    problems_total: count,
    stays: Type.Array(
      Type.Object({
        what: text,
        why: text,
        count: orNull(count, { description: 'How many, where that is known.' }),
      }),
      { description: 'Of an erase: what stays of the person, and why.' },
    ),
    file: orNull(Type.Object({ bytes: count, lines: count, expires_at: time }), {
      description: 'Of an export that is done: the file, until it expires.',
    }),
  }),
);

const kept = 'A job can be read for 30 days.';

export const personJobsApi = {
  eraseAppUser: route({
    method: 'POST',
    path: '/org/app-users/:id/erase',
    access: 'org_admin',
    tag: 'personal data',
    summary: 'Erases a person, or shows what that would change',
    description:
      'By a dry run also what would stay. From the reply on the account opens nothing and its tokens are revoked. A job removes the account, its identities, memberships, invitations and `user` records, and does to the records of the person what `records` says. Sent again after the job has failed, it begins a job that goes on.',
    query: closed({
      dry_run: Type.Boolean({ default: false, description: 'Counts what would be erased, and erases nothing.' }),
    }),
    body: closed({
      env,
      records: oneOf(['keep', 'delete_owned', 'delete_created'], {
        description:
          '`keep` takes the person out of the records. `delete_owned` removes the records that name the person as their owner. `delete_created` also removes those that the person created.',
      }),
      confirm: Type.Optional(
        Type.String({ maxLength: 254, description: 'The email address of the account. Needed but for a dry run.' }),
      ),
    }),
    replies: { 202: reply('The job.', PersonJob) },
    problems: ['not_found', 'conflict', 'last_admin'],
    refusedAs: 'app_user.erase_refused',
  }),
  mergeAppUser: route({
    method: 'POST',
    path: '/org/app-users/:id/merge',
    access: 'org_admin',
    tag: 'personal data',
    summary: 'Merges an account into another of the same person',
    description:
      'A dry run shows what that would change. The account of the path ends: sign-ins to it lead to the account `into`, which gets its memberships, policies and groups. The tokens of both are revoked, and the password of the account that ends is removed. A job has its records and invitations name the account that stays.',
    query: closed({
      dry_run: Type.Boolean({ default: false, description: 'Counts what would change, and changes nothing.' }),
    }),
    body: closed({
      env,
      into: Type.String({ format: 'uuid', description: 'The account that stays.' }),
      seen: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'The `seen` of a dry run. Needed but for a dry run. If what the account gains has changed since, the merge is refused.',
        }),
      ),
    }),
    replies: { 202: reply('The job.', PersonJob) },
    problems: ['not_found', 'conflict'],
    refusedAs: 'app_user.merge_refused',
  }),
  exportAppUser: route({
    method: 'POST',
    path: '/org/app-users/:id/export',
    access: 'org_admin',
    tag: 'personal data',
    summary: 'Collects the data of a person into a file',
    description:
      'A job writes the account, its identities, memberships and invitations, its `user` records and the records of the person as JSON Lines. The file is kept for 7 days.',
    body: closed({ env }),
    replies: { 202: reply('The job.', PersonJob) },
    problems: ['not_found', 'conflict'],
    refusedAs: 'app_user.export_refused',
  }),
  listPersonJobs: route({
    method: 'GET',
    path: '/org/person-jobs',
    access: 'org_admin',
    tag: 'personal data',
    summary: 'The jobs about the data of persons, the newest first',
    description: kept,
    query: closed({
      env: environment,
      user_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only jobs about this account.' })),
      pagesize: Type.Integer({ ...pagesize, maximum: 50, default: 20 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page. It may be short; with a `nexttoken` there may be more.', pageOf(PersonJob)) },
    problems: ['invalid_cursor'],
  }),
  readPersonJob: route({
    method: 'GET',
    path: '/org/person-jobs/:id',
    access: 'org_admin',
    tag: 'personal data',
    summary: 'How far a job about the data of a person is, and its report',
    description: kept,
    query: closed({ env: environment }),
    replies: { 200: reply('The job.', PersonJob) },
    problems: ['not_found'],
  }),
  readPersonFile: route({
    method: 'GET',
    path: '/org/person-jobs/:id/file',
    access: 'org_admin',
    tag: 'personal data',
    summary: 'The file of an export that is done',
    description: 'Each download has an entry in the audit log.',
    query: closed({ env: environment }),
    replies: {
      200: {
        description:
          'The file, as JSON Lines. Its first line has the kind `export`, and its last line has the kind `end`.',
        content: { 'application/x-ndjson': linesOf(PersonLine) },
        headers: ['Content-Disposition'],
      },
    },
    problems: ['not_found', 'conflict'],
  }),
};
