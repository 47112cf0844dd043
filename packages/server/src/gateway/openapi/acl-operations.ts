import { verbs } from '../../access/port.ts';
import {
  anyOf,
  arrayOf,
  closedObjectOf,
  guid,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';
import { env, queryParameter, required } from './parameters.ts';

const tag = 'access control';

/** `handlers/management/decisions.ts` */
const decisionOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/acl/decisions',
    operationId: 'findDecision',
    tag,
    summary: 'Why the call with this request id was denied; without one, the last denials, the latest first',
    access: 'token',
    parameters: [
      queryParameter('request_id', text, 'Stands alone.'),
      { ...env, schema: { ...text, enum: ['test', 'prod'] } },
      queryParameter('pagesize', { type: 'integer', minimum: 1, maximum: 200, default: 50 }),
    ],
    replies: [
      {
        status: 200,
        description: 'The denial, or the last ones.',
        content: jsonContent(
          anyOf([schemaReference('Decision'), objectOf({ items: arrayOf(schemaReference('Decision')) })]),
        ),
      },
    ],
    problems: ['not_found'],
  },
  {
    method: 'GET',
    path: '/acl/decisions/:decision_id',
    operationId: 'readDecision',
    tag,
    summary: 'Why a call was denied',
    access: 'token',
    replies: [{ status: 200, description: 'The denial.', content: jsonContent(schemaReference('Decision')) }],
    problems: ['not_found'],
  },
];

/** `handlers/management/acl.ts` */
const questionOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/acl/simulate',
    operationId: 'simulateAccess',
    tag,
    summary: 'What the policies say of a request that nobody makes: of a member, or by a draft of statements',
    access: 'token',
    body: jsonContent(schemaReference('Simulation')),
    replies: [{ status: 200, description: 'The decision.', content: jsonContent(schemaReference('Simulated')) }],
    problems: [
      'validation_failed',
      'unknown_field',
      'role_required',
      'not_found',
      'method_not_allowed',
      'origin_refused',
    ],
  },
  {
    method: 'POST',
    path: '/acl/lint',
    operationId: 'lintStatements',
    tag,
    summary: 'What is wrong with statements, and what of them is likely not to mean what it says',
    access: 'token',
    body: jsonContent(
      closedObjectOf({ env: { ...text, enum: ['test', 'prod'], default: 'test' }, statements: {} }, ['env']),
    ),
    replies: [
      {
        status: 200,
        description: 'The findings, the worst first.',
        content: jsonContent(objectOf({ findings: arrayOf(schemaReference('Finding')) })),
      },
    ],
    problems: ['validation_failed', 'unknown_field', 'origin_refused'],
  },
  {
    method: 'GET',
    path: '/acl/matrix',
    operationId: 'readAccessMatrix',
    tag,
    summary: 'Who can do what in a workspace: each member with each verb on each entity',
    access: 'token',
    parameters: [
      env,
      required(queryParameter('tenant_code', text)),
      queryParameter('entity', text, 'One entity alone.'),
      queryParameter('pagesize', { type: 'integer', minimum: 1, maximum: 50, default: 50 }),
      queryParameter('nexttoken', text),
    ],
    replies: [
      {
        status: 200,
        description: 'Some members, and where there are more, how to go on.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('MatrixRow')), nexttoken: orNull(text) })),
      },
    ],
    problems: ['not_found', 'invalid_cursor'],
  },
];

/** Deciding and explaining, for builders. */
export const aclOperations: readonly Operation[] = [...decisionOperations, ...questionOperations];

const outcome: JsonSchema = { ...text, enum: ['allowed', 'explicit_deny', 'implicit_deny', 'undecided'] };

const described = {
  decision: outcome,
  reason: { ...text, description: 'Names the statement that decided.' },
  matched: arrayOf(schemaReference('DescribedStatement')),
  considered: { type: 'integer', description: 'How many statements were looked at.' },
  over_budget: { const: true, description: 'The decision took more work than one may.' },
};

const someText = { ...text, minLength: 1 };
const anything: JsonSchema = { type: 'object' };

const simulation = closedObjectOf(
  {
    env: { ...text, enum: ['test', 'prod'], default: 'test' },
    tenant_code: { ...someText, description: 'Needed with `user_id`, and with a stored record.' },
    user_id: { ...someText, description: 'A member, with all that he holds now. Either this or `statements`.' },
    statements: { ...arrayOf(anything), description: 'A draft, held to what the statements of a policy are held to.' },
    action: { ...someText, description: 'With `resource`. Either these or `method` and `path`.' },
    resource: someText,
    method: someText,
    path: { ...someText, description: 'With or without `/app/{orgCode}`, and with its query.' },
    record: { ...anything, description: '`{id}` for a stored one, else its fields.' },
    context: closedObjectOf(
      {
        request: closedObjectOf(
          {
            ip: text,
            time,
            origin: someText,
            queryParameters: { type: 'object', additionalProperties: text },
            body: anything,
          },
          ['ip', 'time', 'origin', 'queryParameters', 'body'],
        ),
        jwt: anything,
        user: { ...closedObjectOf({ id: someText, email: someText }, ['id', 'email']), description: 'For drafts.' },
        tenant: { ...closedObjectOf({ id: someText, code: someText }, ['id', 'code']), description: 'For drafts.' },
      },
      ['request', 'jwt', 'user', 'tenant'],
    ),
  },
  ['env', 'tenant_code', 'user_id', 'statements', 'action', 'resource', 'method', 'path', 'record', 'context'],
);

export const aclSchemas: Readonly<Record<string, JsonSchema>> = {
  Decision: objectOf(
    {
      decision_id: text,
      request_id: text,
      at: time,
      env: { ...text, enum: ['test', 'prod'] },
      tenant_code: text,
      user_id: guid,
      act: { ...guid, description: 'The builder who acted in the name of that person.' },
      action: text,
      resource: text,
      ...described,
    },
    ['act', 'over_budget'],
  ),
  Simulation: simulation,
  Simulated: objectOf(
    {
      action: text,
      resource: text,
      user: objectOf({ id: guid, email: text, status: text }),
      ...described,
      needs: {
        ...arrayOf({ ...text, enum: ['body', 'record', 'id'] }),
        description: 'What an undecided one depends on.',
      },
      fields: { ...arrayOf(text), description: 'Those that the request is held to, where it is held to any.' },
    },
    ['user', 'over_budget', 'needs', 'fields'],
  ),
  Finding: objectOf({
    severity: { ...text, enum: ['error', 'warning', 'info'] },
    code: text,
    pointer: text,
    message: text,
  }),
  MatrixRow: objectOf({
    user_id: guid,
    email: text,
    role: text,
    status: { ...text, description: 'Who is not `active` is let in nowhere.' },
    entities: {
      type: 'object',
      additionalProperties: objectOf(Object.fromEntries(verbs.map((verb) => [verb, schemaReference('MatrixCell')]))),
    },
  }),
  MatrixCell: objectOf(
    {
      decision: outcome,
      policy: text,
      policy_id: text,
      group: text,
      Sid: text,
      Fields: arrayOf(text),
      conditional: { const: true, description: 'A condition may decide otherwise.' },
    },
    ['policy', 'policy_id', 'group', 'Sid', 'Fields', 'conditional'],
  ),
  DescribedStatement: objectOf(
    {
      source: { ...text, enum: ['direct', 'group', 'draft'], description: 'How the person came by it.' },
      group: text,
      group_id: text,
      policy: text,
      policy_id: text,
      Sid: text,
      Effect: { ...text, enum: ['Allow', 'Deny'] },
      Action: { ...text, description: 'The pattern that the action matched.' },
      Resource: { ...text, description: 'The pattern that the resource matched.' },
      Fields: { ...arrayOf(text), description: 'The fields that it is about, where it is not about all.' },
      ambiguous: {
        ...arrayOf(objectOf({ key: text, members: arrayOf(text) })),
        description: 'The keys that lead to several members, whose names differ in ASCII case alone.',
      },
      matched: { type: 'boolean', description: 'False where only the condition kept the statement from it.' },
      failed_condition: objectOf({ operator: text, key: text, expected: arrayOf(text), actual: arrayOf(text) }),
      open: { const: true, description: 'It depends on what is not given whether the statement matches.' },
      over_budget: {
        const: true,
        description: 'It was not looked at to its end: a Deny counts as matching, an Allow as not matching.',
      },
      broken: arrayOf(schemaReference('InputError')),
    },
    [
      'group',
      'group_id',
      'policy_id',
      'Sid',
      'Fields',
      'ambiguous',
      'failed_condition',
      'open',
      'over_budget',
      'broken',
    ],
  ),
};
