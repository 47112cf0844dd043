import {
  anyOf,
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  schemaReference,
  text,
} from '../../lib/json-schema.ts';
import { jsonContent, type Operation, type Parameter } from './operation.ts';

const tag = 'access control';
const requestId: Parameter = {
  name: 'X-Request-ID',
  in: 'header',
  description: 'The caller’s own name for the request: it comes back with the answer.',
  schema: text,
};
const problems = ['workspace_required', 'validation_failed', 'unknown_field'] as const;

/** `handlers/app/authzen.ts` */
export const authzenOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/app/:org/access/v1/evaluation',
    operationId: 'evaluateAccess',
    tag,
    summary: 'Whether the caller may do something (AuthZEN Authorization API 1.0)',
    access: 'token',
    parameters: [requestId],
    body: jsonContent(schemaReference('Evaluation')),
    replies: [{ status: 200, description: 'The decision.', content: jsonContent(schemaReference('AccessDecision')) }],
    problems,
  },
  {
    method: 'POST',
    path: '/app/:org/access/v1/evaluations',
    operationId: 'evaluateAccesses',
    tag,
    summary: 'Whether the caller may do each of up to 100 things',
    access: 'token',
    parameters: [requestId],
    body: jsonContent(schemaReference('Evaluations')),
    replies: [
      {
        status: 200,
        description: 'The decisions in the order of the questions, or one where none were listed.',
        content: jsonContent(
          anyOf([
            objectOf({ evaluations: arrayOf(schemaReference('AccessDecision')) }),
            schemaReference('AccessDecision'),
          ]),
        ),
      },
    ],
    problems,
  },
];

const someText = { ...text, minLength: 1 };
const anything: JsonSchema = { type: 'object' };
const subject = closedObjectOf({ type: someText, id: someText, properties: anything }, ['properties']);
const action = closedObjectOf({ name: someText, properties: anything }, ['properties']);
const resource = closedObjectOf({ type: someText, id: someText, properties: anything }, ['id', 'properties']);
const question = {
  subject: { ...subject, description: '`user` and the caller’s own id.' },
  action: { ...action, description: 'A verb such as `get`, or an action such as `getorder`.' },
  resource: { ...resource, description: 'An entity, the id of a record, and with `properties` what is to be written.' },
  context: {
    ...anything,
    description: 'Taken and not looked at: what is known of the request is known by the request.',
  },
};

export const authzenSchemas: Readonly<Record<string, JsonSchema>> = {
  Evaluation: closedObjectOf(question, ['context']),
  Evaluations: closedObjectOf(
    {
      ...question,
      evaluations: { ...arrayOf(anything), maxItems: 100, description: 'What is left out of one stands beside them.' },
      options: objectOf(
        { evaluations_semantic: { ...text, enum: ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] } },
        ['evaluations_semantic'],
      ),
    },
    ['subject', 'action', 'resource', 'context', 'evaluations', 'options'],
  ),
  AccessDecision: objectOf(
    {
      decision: { type: 'boolean' },
      context: objectOf(
        {
          reason: text,
          decision_id: { ...text, description: 'By which a builder finds out why.' },
          error: objectOf({ status: { type: 'integer' }, message: text }),
        },
        ['decision_id', 'error'],
      ),
    },
    ['context'],
  ),
};
