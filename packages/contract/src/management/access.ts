import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import {
  anyObject,
  byVerb,
  closed,
  guid,
  itemsOf,
  named,
  ofRecords,
  oneOf,
  pageOf,
  policyStatement,
  recordOf,
  text,
  time,
} from '../schema.ts';
import { DescribedStatement, outcome, renamed } from './access/described-statement.ts';
import {
  Holder,
  WorkspaceGroup,
  WorkspaceGroupDetails,
  WorkspaceMember,
  WorkspacePolicy,
  WorkspacePolicyDetails,
} from './access/holders.ts';

/** The decision, and how. */
const decided = {
  decision: outcome,
  reason: Type.String({ description: 'Names the statement that decided.' }),
  matched: Type.Array(DescribedStatement),
  reported: Type.Optional(
    Type.Array(DescribedStatement, {
      description: 'Statements with `"Mode": "report"` that apply. They had no part in the decision.',
    }),
  ),
  record_state: Type.Optional(
    oneOf(['before', 'after'], { description: 'For an update, the state of the record that `record.…` stands for.' }),
  ),
  considered: Type.Integer({ description: 'How many statements were evaluated.' }),
  over_budget: Type.Optional(Type.Literal(true, { description: 'The decision reached its work budget.' })),
};

/** The call that a decision is about. */
export const deniedCall = {
  decision_id: text,
  request_id: text,
  at: time,
  env: oneOf(['test', 'prod']),
  tenant_code: text,
  user_id: guid,
  email: ofRecords(Type.String({ description: 'The email of that user in the token of the call.' })),
  act: Type.Optional(Type.String({ format: 'uuid', description: 'The builder who impersonated that user.' })),
  action: text,
  resource: text,
};

export const Decision = named(
  'Decision',
  Type.Object({
    ...deniedCall,
    decision: ofRecords(decided.decision),
    reason: ofRecords(decided.reason),
    matched: ofRecords(decided.matched),
    reported: ofRecords(decided.reported),
    record_state: ofRecords(decided.record_state),
    considered: ofRecords(decided.considered),
    over_budget: ofRecords(decided.over_budget),
  }),
);

export const Simulation = named(
  'Simulation',
  closed({
    env: Type.Optional(oneOf(['test', 'prod'], { description: 'Left out, `test`.' })),
    tenant_code: Type.Optional(
      Type.String({ minLength: 1, description: 'Needed with `user_id`, and with a stored record.' }),
    ),
    user_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'A member with its current policies. Either this or `statements`.' }),
    ),
    statements: Type.Optional(
      Type.Array(policyStatement, { description: 'A draft, with the same rules as the statements of a policy.' }),
    ),
    action: Type.Optional(
      Type.String({ minLength: 1, description: 'With `resource`. Either these or `method` and `path`.' }),
    ),
    resource: Type.Optional(Type.String({ minLength: 1 })),
    method: Type.Optional(Type.String({ minLength: 1 })),
    path: Type.Optional(
      Type.String({ minLength: 1, description: 'With or without `/app/{orgCode}`, and with its query.' }),
    ),
    record: Type.Optional(anyObject({ description: '`{id}` for a stored one, else its fields.' })),
    context: Type.Optional(
      closed({
        request: Type.Optional(
          closed({
            ip: Type.Optional(Type.String({ description: 'An IPv4 or IPv6 address.' })),
            time: Type.Optional(
              Type.String({ format: 'date-time', description: 'The time of the call. Left out, now.' }),
            ),
            origin: Type.Optional(Type.String({ minLength: 1 })),
            queryParameters: Type.Optional(recordOf(text)),
            body: Type.Optional(anyObject()),
          }),
        ),
        jwt: Type.Optional(anyObject()),
        user: Type.Optional(
          closed(
            { id: Type.Optional(Type.String({ minLength: 1 })), email: Type.Optional(Type.String({ minLength: 1 })) },
            { description: 'Only with `statements`.' },
          ),
        ),
        tenant: Type.Optional(
          closed(
            { id: Type.Optional(Type.String({ minLength: 1 })), code: Type.Optional(Type.String({ minLength: 1 })) },
            { description: 'Only with `statements`.' },
          ),
        ),
      }),
    ),
  }),
);

export const Simulated = named(
  'Simulated',
  Type.Object({
    action: text,
    resource: text,
    user: Type.Optional(Type.Object({ id: guid, email: text, status: text })),
    ...decided,
    needs: Type.Optional(
      Type.Array(oneOf(['body', 'record', 'id', 'after']), { description: 'What an undecided decision depends on.' }),
    ),
    fields: Type.Optional(
      Type.Array(text, { description: 'The fields that the decision is limited to, if it is limited.' }),
    ),
  }),
);

export const Finding = named(
  'Finding',
  Type.Object({ severity: oneOf(['error', 'warning', 'info']), code: text, pointer: text, message: text }),
);

export const MatrixCell = named(
  'MatrixCell',
  Type.Object({
    decision: outcome,
    policy: Type.Optional(text),
    policy_id: Type.Optional(text),
    group: Type.Optional(text),
    Sid: Type.Optional(text),
    Fields: Type.Optional(Type.Array(text)),
    renamed,
    conditional: Type.Optional(Type.Literal(true, { description: 'Under another condition it is decided otherwise.' })),
  }),
);

export const MatrixRow = named(
  'MatrixRow',
  Type.Object({
    user_id: guid,
    email: ofRecords(text),
    role: ofRecords(text),
    status: ofRecords(Type.String({ description: 'Who is not `active` is let in nowhere.' })),
    entities: recordOf(byVerb(MatrixCell)),
    logicblocks: recordOf(MatrixCell, {
      description: 'Whether the member may run each logic block. Empty where one entity is asked for.',
    }),
  }),
);

const tenantCode = Type.String({ description: 'The code of the workspace.' });

const namedQuery = closed({
  env: environment,
  tenant_code: tenantCode,
  q: Type.Optional(
    Type.String({ maxLength: 128, description: 'A part of the name; the case of ASCII letters does not count.' }),
  ),
  pagesize: Type.Integer({ ...pagesize, maximum: 50, default: 20 }),
  nexttoken,
});
const namedReply = 'A page, by name. It may be short or empty; with a `nexttoken` there may be more.';

const whyDenied = 'the email of the user, and why the call was denied';

export const accessApi = {
  findDecision: route({
    method: 'GET',
    path: '/acl/decisions',
    access: 'developer',
    tag: 'access control',
    summary: 'Why a call was denied, or the last denials',
    description: 'By the `request_id` of the call; without one the last denials, the latest first.',
    query: closed({
      request_id: Type.Optional(Type.String({ description: 'Cannot be combined with other parameters.' })),
      env: Type.Optional(oneOf(['test', 'prod'], { description: 'One environment alone.' })),
      tenant_code: Type.Optional(Type.String({ description: 'One workspace alone, by its code.' })),
      user_id: Type.Optional(Type.String({ format: 'uuid', description: 'The calls of one user alone.' })),
      pagesize: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'The default is 50.' })),
    }),
    compressed: 'reply',
    replies: { 200: reply('The denial, or the last ones.', Type.Union([Decision, itemsOf(Decision)])) },
    problems: ['not_found'],
    production: { leftOut: whyDenied },
  }),
  readDecision: route({
    method: 'GET',
    path: '/acl/decisions/:decision_id',
    access: 'developer',
    tag: 'access control',
    summary: 'Why a call was denied',
    replies: { 200: reply('The denial.', Decision) },
    problems: ['not_found'],
    production: { leftOut: whyDenied },
  }),
  simulateAccess: route({
    method: 'POST',
    path: '/acl/simulate',
    access: 'developer',
    tag: 'access control',
    summary: 'Decides a request without doing it',
    description: 'For a member, or by a draft of statements.',
    body: Simulation,
    replies: { 200: reply('The decision.', Simulated) },
    problems: ['not_found', 'method_not_allowed'],
    repeats: { notRemembered: 'changes nothing' },
    production: { refused: ['user_id', 'record.id'] },
  }),
  lintStatements: route({
    method: 'POST',
    path: '/acl/lint',
    access: 'developer',
    tag: 'access control',
    summary: 'Finds mistakes in statements',
    description: 'Errors, and parts that probably do not mean what they say.',
    body: closed({
      env: Type.Optional(oneOf(['test', 'prod'], { description: 'Left out, `test`.' })),
      statements: Type.Unknown(),
    }),
    replies: { 200: reply('The findings, the worst first.', Type.Object({ findings: Type.Array(Finding) })) },
    repeats: { notRemembered: 'changes nothing' },
  }),
  readAccessMatrix: route({
    method: 'GET',
    path: '/acl/matrix',
    access: 'developer',
    tag: 'access control',
    summary: 'Who can do what in a workspace',
    description: 'Each member with each verb on each entity, and each logic block.',
    query: closed({
      env: environment,
      tenant_code: tenantCode,
      entity: Type.Optional(Type.String({ description: 'One entity alone.' })),
      user_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'One member alone, with all entities in one reply.' }),
      ),
      pagesize: Type.Integer({ ...pagesize, maximum: 50 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: {
      200: reply('A page of members, with a cursor if there are more.', pageOf(MatrixRow)),
    },
    problems: ['not_found', 'invalid_cursor'],
    production: { leftOut: 'the email, role and status of members; what a condition decides is `undecided`' },
  }),
  listWorkspacePolicies: route({
    method: 'GET',
    path: '/acl/policies',
    access: 'developer',
    tag: 'access control',
    summary: 'The policies of a workspace by name',
    description: 'Each with the number of members and groups that hold it.',
    query: namedQuery,
    compressed: 'reply',
    replies: { 200: reply(namedReply, pageOf(WorkspacePolicy)) },
    problems: ['not_found', 'invalid_cursor'],
  }),
  listWorkspaceGroups: route({
    method: 'GET',
    path: '/acl/groups',
    access: 'developer',
    tag: 'access control',
    summary: 'The groups of a workspace by name',
    description: 'Each with the number of its members and its policies.',
    query: namedQuery,
    compressed: 'reply',
    replies: { 200: reply(namedReply, pageOf(WorkspaceGroup)) },
    problems: ['not_found', 'invalid_cursor'],
  }),
  readWorkspacePolicy: route({
    method: 'GET',
    path: '/acl/policies/:id',
    access: 'developer',
    tag: 'access control',
    summary: 'A policy of a workspace, with its statements',
    query: closed({ env: environment, tenant_code: tenantCode }),
    replies: { 200: reply('The policy.', WorkspacePolicyDetails) },
    problems: ['not_found'],
    production: { leftOut: 'the statements' },
  }),
  readWorkspaceGroup: route({
    method: 'GET',
    path: '/acl/groups/:id',
    access: 'developer',
    tag: 'access control',
    summary: 'A group of a workspace, with the names of its policies',
    query: closed({ env: environment, tenant_code: tenantCode }),
    replies: { 200: reply('The group.', WorkspaceGroupDetails) },
    problems: ['not_found'],
  }),
  listMembers: route({
    method: 'GET',
    path: '/acl/members',
    access: 'developer',
    tag: 'access control',
    summary: 'The members of a workspace by email',
    description: 'With their groups and policies; `q` also finds a part of the email.',
    query: namedQuery,
    compressed: 'reply',
    replies: {
      200: reply('A page. It may be short or empty; with a `nexttoken` there may be more.', pageOf(WorkspaceMember)),
    },
    problems: ['not_found', 'invalid_cursor'],
    production: { refused: 'always' },
  }),
  readMember: route({
    method: 'GET',
    path: '/acl/members/:id',
    access: 'developer',
    tag: 'access control',
    summary: 'A member of a workspace, with the groups and policies',
    query: closed({ env: environment, tenant_code: tenantCode }),
    replies: { 200: reply('The member.', WorkspaceMember) },
    problems: ['not_found'],
    production: { leftOut: 'the email, name, role and status' },
  }),
  listHolders: route({
    method: 'GET',
    path: '/acl/holders',
    access: 'developer',
    tag: 'access control',
    summary: 'The members who hold a policy directly, or are in a group',
    query: closed({
      env: environment,
      tenant_code: tenantCode,
      policy_id: Type.Optional(Type.String({ format: 'uuid', description: 'Either this or `group_id`.' })),
      group_id: Type.Optional(Type.String({ format: 'uuid', description: 'Either this or `policy_id`.' })),
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page; empty for a policy or group that does not exist.', pageOf(Holder)) },
    problems: ['not_found', 'invalid_cursor'],
    production: { leftOut: 'the email, name and status' },
  }),
};
