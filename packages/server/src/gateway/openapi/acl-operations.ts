import { anyOf, arrayOf, guid, type JsonSchema, objectOf, schemaReference, text, time } from './json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';
import { env, queryParameter } from './parameters.ts';

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

/** Deciding and explaining, for builders. */
export const aclOperations: readonly Operation[] = [...decisionOperations];

const outcome: JsonSchema = { ...text, enum: ['allowed', 'explicit_deny', 'implicit_deny', 'undecided'] };

const described = {
  decision: outcome,
  reason: { ...text, description: 'Names the statement that decided.' },
  matched: arrayOf(schemaReference('DescribedStatement')),
  considered: { type: 'integer', description: 'How many statements were looked at.' },
};

export const aclSchemas: Readonly<Record<string, JsonSchema>> = {
  Decision: objectOf({
    decision_id: text,
    request_id: text,
    at: time,
    env: { ...text, enum: ['test', 'prod'] },
    tenant_code: text,
    user_id: guid,
    action: text,
    resource: text,
    ...described,
  }),
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
      matched: { type: 'boolean', description: 'False where only the condition kept the statement from it.' },
      broken: arrayOf(schemaReference('InputError')),
    },
    ['group', 'group_id', 'policy_id', 'Sid', 'broken'],
  ),
};
