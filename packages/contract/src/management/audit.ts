import { Type } from '@sinclair/typebox';
import { nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { anyObject, closed, count, itemsOf, linesOf, named, oneOf, orNull, text, time, timeOrDay } from '../schema.ts';

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    at: time,
    actor: Type.Object({
      kind: oneOf(['org_user', 'service_key', 'deploy_key', 'operator', 'app_user', 'automation', 'platform']),
      id: text,
    }),
    request_id: text,
    action: Type.String({ examples: ['entity.changed'] }),
    target: Type.Optional(Type.Object({ kind: text, id: text, name: Type.Optional(text) })),
    env: Type.Optional(oneOf(['test', 'prod'])),
    tenant_code: Type.Optional(text),
    detail: Type.Optional(
      anyObject({ description: 'Ids, names of configuration, counts: never an email or a secret.' }),
    ),
  }),
);

export const AuditChain = named(
  'AuditChain',
  Type.Object({
    chain: oneOf(['org', 'test', 'prod', 'workspace_test', 'workspace_prod'], {
      description:
        'Entries about the org itself, about an environment, or from inside the workspace that was asked for.',
    }),
    entries: count,
    verified: Type.Integer({
      minimum: 0,
      description: 'How many entries, from the first on, were found as they were written.',
    }),
    verified_at: orNull(time, { description: 'When the last of them was verified.' }),
    digest: orNull(text, {
      description:
        'Of the last verified entry. A copy that is kept elsewhere proves later, by `freehold audit verify --expect`, that no entry up to it was changed.',
    }),
    broken: orNull(
      Type.Object({
        entry: Type.Integer({
          minimum: 1,
          description: 'The number of the first entry that is not as it was written.',
        }),
        problem: text,
        found_at: time,
      }),
      {
        description:
          'The fault that was found. It stays while the verification begins again, until its entry is looked at again: while `verified` is less than `entry` - 1.',
      },
    ),
  }),
);

const chosenEntries = {
  env: Type.Optional(oneOf(['test', 'prod'], { description: 'Only actions in this environment.' })),
  actor: Type.Optional(Type.String({ description: 'Only actions of the actor with this id.' })),
  action: Type.Optional(Type.String({ description: 'Only actions that start with this.' })),
  target: Type.Optional(Type.String({ description: 'Only actions on the object with this id, or of this name.' })),
  tenant_code: Type.Optional(
    Type.String({
      description:
        'Only entries about this workspace. Entries from inside a workspace are shown with this parameter only.',
    }),
  ),
  request_id: Type.Optional(Type.String({ description: 'Only actions of this request.' })),
  from: Type.Optional(timeOrDay('Only from this time on.')),
  to: Type.Optional(timeOrDay('Only before this time.')),
  nexttoken,
};

const filters = closed({ ...chosenEntries, pagesize });

const workspaceCode = Type.Optional(
  Type.String({ pattern: '^[a-z0-9-]{1,63}$', description: 'Also the chains of the workspace with this code.' }),
);

const page = reply(
  'A page. It may be short, and is marked then; with a `nexttoken` there may be more.',
  Type.Object({
    items: Type.Array(AuditEntry),
    nexttoken: orNull(text),
    partial: Type.Optional(
      Type.Literal(true, { description: 'The result is partial: the call reached its scan limit.' }),
    ),
  }),
);

export const auditApi = {
  listAuditEntries: route({
    method: 'GET',
    path: '/audit',
    access: 'org_admin',
    tag: 'audit',
    summary: 'The audit log of the org',
    description: 'Who did what to the org, its configuration, its keys and its workspaces, the latest first.',
    query: filters,
    compressed: 'reply',
    replies: { 200: page },
    problems: ['invalid_cursor'],
  }),
  exportAuditEntries: route({
    method: 'GET',
    path: '/audit/export',
    access: 'org_admin',
    tag: 'audit',
    summary: 'The entries of the audit log as a file, the latest first',
    description:
      'A file is made of at most 100,000 entries, chosen ones and others. If there are more, its last line is an entry with the action `audit.export_continues`, whose `detail.nexttoken` gets the next file.',
    query: closed({
      format: Type.Optional(
        oneOf(['csv', 'jsonl'], { description: 'If it is left out, `Accept` decides; the default is `jsonl`.' }),
      ),
      ...chosenEntries,
    }),
    replies: {
      200: {
        description: 'An entry a line.',
        content: {
          'text/csv': Type.String({
            description:
              'A line with the names of the columns, and one for each entry; `detail` is JSON. A text that a spreadsheet would take for a formula has an apostrophe before it.',
          }),
          'application/x-ndjson': linesOf(AuditEntry),
        },
        headers: ['Content-Disposition'],
      },
    },
    problems: ['invalid_cursor'],
  }),
  listAuditChains: route({
    method: 'GET',
    path: '/audit/chains',
    access: 'org_admin',
    tag: 'audit',
    summary: 'How far the chains of the audit log are verified',
    query: closed({ tenant_code: workspaceCode }),
    replies: { 200: reply('The chains.', itemsOf(AuditChain)) },
  }),
  verifyAuditChains: route({
    method: 'POST',
    path: '/audit/chains/verify',
    access: 'org_admin',
    tag: 'audit',
    summary: 'Verifies the next entries of the audit log’s chains',
    description:
      'Up to 2,000 entries. The platform remembers how far each chain is verified, and the next call goes on from there. `restart` begins at the first entry again.',
    body: closed({ tenant_code: workspaceCode, restart: Type.Optional(Type.Boolean()) }),
    replies: { 200: reply('The chains as they are verified now.', itemsOf(AuditChain)) },
    problems: ['conflict'],
    repeats: { notRemembered: 'verifies further each time, and changes no entry' },
  }),
  listOperatorAuditEntries: route({
    method: 'GET',
    path: '/platform/audit',
    access: 'operator',
    tag: 'platform',
    summary: 'The audit log of the operator',
    description: 'What the operator did to the platform as a whole, the latest first.',
    query: filters,
    compressed: 'reply',
    replies: { 200: page },
    problems: ['rate_limited', 'invalid_cursor'],
  }),
};
