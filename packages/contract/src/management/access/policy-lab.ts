/** What a change of policies would have done to the calls that were made, and what was used of what policies allow. */
import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, count, guid, named, oneOf, pageOf, policyStatement, text, time, timeOrDay } from '../../schema.ts';
import { DescribedStatement, outcome } from './described-statement.ts';

const tenantCode = Type.String({ description: 'The code of the workspace.' });
const represents = Type.Integer({ minimum: 0, description: 'How many calls these decisions stand for.' });

/** Of one recorded time: each reply says on how much it rests. */
const basis = {
  since: Type.String({ format: 'date-time', description: 'The decisions of calls from then on.' }),
  decisions: Type.Integer({ minimum: 0, description: 'How many recorded decisions were looked at.' }),
  stands_for: represents,
  sampled: Type.Literal(true, { description: 'Decisions that are alike are recorded as one, with their number.' }),
  not_recorded: Type.Integer({
    minimum: 0,
    description:
      'The calls of the org in the environment, as far as they were counted, that found no room in the record.',
  }),
  truncated: Type.Boolean({ description: 'Whether there are more recorded decisions than were looked at.' }),
};

export const ReplayedGroup = named(
  'ReplayedGroup',
  Type.Object({
    user_id: guid,
    email: Type.String({ description: 'Empty for a user who is no member any more.' }),
    action: text,
    resource: Type.String({ description: 'Of the last such call.' }),
    calls: count,
    decision: outcome,
    reason: Type.String({ description: 'Names the statement that decided, or says that none allows it.' }),
    statement: Type.Optional(DescribedStatement),
    recorded: Type.Object(
      {
        decision: outcome,
        policy_id: Type.Optional(text),
        Sid: Type.Optional(text),
        last_at: time,
      },
      { description: 'What was decided when the call was made.' },
    ),
    changed_since: Type.Optional(
      Type.Literal(true, {
        description: 'The policies of today decide it otherwise than it was decided when the call was made.',
      }),
    ),
  }),
);

const groups = Type.Object({
  count: Type.Integer({ minimum: 0, description: 'How many recorded decisions.' }),
  stands_for: represents,
  items: Type.Array(ReplayedGroup, {
    description: 'The first 50 groups of like calls, those with the most calls first.',
  }),
});

export const Replay = named(
  'Replay',
  closed({
    env: Type.Optional(oneOf(['test', 'prod'], { description: 'Left out, `test`.' })),
    tenant_code: tenantCode,
    draft: closed({
      policy_id: Type.Optional(
        Type.String({
          format: 'uuid',
          description: 'The policy that the draft takes the place of. Left out for a new one.',
        }),
      ),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'What explanations call it.' })),
      statements: Type.Array(policyStatement, { description: 'With the same rules as the statements of a policy.' }),
    }),
    principals: Type.Optional(
      Type.Array(guid, {
        minItems: 1,
        maxItems: 100,
        description: 'The members who would hold a new policy. With `policy_id`, its present holders do.',
      }),
    ),
    since: Type.Optional(timeOrDay('Only decisions of calls from then on.')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'How many recorded decisions are looked at. Left out, 10,000.',
      }),
    ),
  }),
);

export const Replayed = named(
  'Replayed',
  Type.Object({
    ...basis,
    unchanged: Type.Object({ count, stands_for: represents }),
    newly_denied: groups,
    newly_allowed: groups,
    undecidable: Type.Object(
      {
        count,
        stands_for: represents,
        reasons: Type.Array(Type.Object({ reason: text, count })),
      },
      { description: 'Decisions that depend on values that were not recorded.' },
    ),
    changed_since: Type.Integer({
      minimum: 0,
      description: 'How many decisions the policies of today decide otherwise than they were decided.',
    }),
  }),
);

export const UnusedStatement = named(
  'UnusedStatement',
  Type.Object({
    policy_id: text,
    policy: text,
    index: count,
    Sid: Type.Optional(text),
    Action: Type.Array(text, { description: 'The action patterns that allowed no recorded call.' }),
    whole: Type.Boolean({ description: 'Whether no action of the statement was used.' }),
  }),
);

export const Suggestion = named(
  'Suggestion',
  Type.Object({
    ...basis,
    statements: Type.Array(policyStatement, {
      description:
        'They allow the recorded use that was allowed: of a policy or a group, by the policy or those of the group, whose Denies and report-only statements they keep.',
    }),
    unused: Type.Array(UnusedStatement, {
      description: 'Of the statements that the members hold now and that allow, what no recorded call used.',
    }),
    days: Type.Integer({ minimum: 0, description: 'The days on which calls were recorded.' }),
    members: Type.Integer({ minimum: 0, description: 'How many members the suggestion is for.' }),
    left_out: Type.Integer({
      minimum: 0,
      description: 'Recorded actions that did not fit into the statements of one policy.',
    }),
    reports_left_out: Type.Integer({
      minimum: 0,
      description:
        'Report-only statements of the policy, or of the policies of the group, that did not fit beside the others.',
    }),
    warning: Type.Optional(text),
  }),
);

export const ReportedUse = named(
  'ReportedUse',
  Type.Object({
    policy_id: Type.String({ description: 'Empty for a statement of a logic block’s own policies.' }),
    policy: Type.String({ description: 'As it was called when the last such call was made.' }),
    logicblock: Type.Optional(Type.String({ description: 'The logic block whose own policies have the statement.' })),
    index: Type.Integer({ minimum: 0, description: 'The place of the statement in its policy, from 0.' }),
    Sid: Type.Optional(text),
    Effect: oneOf(['Allow', 'Deny']),
    would_deny: Type.Integer({ minimum: 0, description: 'Allowed calls that it would have denied.' }),
    would_allow: Type.Integer({ minimum: 0, description: 'Denied calls that it would have allowed.' }),
    last_at: time,
    examples: Type.Array(
      Type.Object({ user_id: guid, action: text, resource: text, at: time, would: oneOf(['allow', 'deny']) }),
      { description: 'Up to 5 calls.' },
    ),
  }),
);

export const policyLabApi = {
  replayAccess: route({
    method: 'POST',
    path: '/acl/replay',
    access: 'developer',
    tag: 'access control',
    summary: 'Decides recorded calls of a workspace again',
    description: 'With a draft in the place of a policy.',
    body: Replay,
    replies: { 200: reply('What the draft would change.', Replayed) },
    problems: ['not_found', 'rate_limited'],
    repeats: { notRemembered: 'changes nothing' },
    isRead: true,
    production: { refused: 'always' },
  }),
  suggestPolicy: route({
    method: 'GET',
    path: '/acl/suggest',
    access: 'developer',
    tag: 'access control',
    summary: 'Statements that allow what members did',
    description: 'In the recorded days; also what the members hold and did not use.',
    query: closed({
      env: environment,
      tenant_code: tenantCode,
      user_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'Exactly one of `user_id`, `policy_id` and `group_id`.' }),
      ),
      policy_id: Type.Optional(Type.String({ format: 'uuid', description: 'For those who hold the policy.' })),
      group_id: Type.Optional(Type.String({ format: 'uuid', description: 'For the members of the group.' })),
    }),
    replies: { 200: reply('The suggestion.', Suggestion) },
    problems: ['not_found'],
    production: { refused: 'always' },
  }),
  listReported: route({
    method: 'GET',
    path: '/acl/reported',
    access: 'developer',
    tag: 'access control',
    summary: 'What report-only statements would have decided',
    description: 'Statements with `"Mode": "report"`: what they would have denied and allowed of the recorded calls.',
    query: closed({
      env: environment,
      tenant_code: tenantCode,
      pagesize: Type.Integer({ ...pagesize, maximum: 50, default: 20 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page, by policy and place.', pageOf(ReportedUse)) },
    problems: ['not_found', 'invalid_cursor'],
    production: { refused: 'always' },
  }),
};
