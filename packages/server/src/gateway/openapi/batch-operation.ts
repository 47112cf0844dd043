import {
  anyOf,
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  schemaReference,
  text,
} from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';
import { idempotencyKey } from './parameters.ts';

/** What `handlers/app/batch.ts` serves. */
export const batchOperation: Operation = {
  method: 'POST',
  path: '/app/:org/batch',
  operationId: 'batch',
  tag: 'batches',
  summary: 'Makes, changes and removes up to 100 records',
  description:
    'Each operation is allowed or denied as the call that does it alone. A batch that is `atomic` does all of them or none, and is refused as the operation that is refused; one that is `independent` answers for each.',
  access: 'token',
  parameters: [idempotencyKey],
  body: jsonContent(schemaReference('Batch')),
  replies: [
    {
      status: 200,
      description: 'A result for each operation, in their order.',
      content: jsonContent(objectOf({ results: arrayOf(schemaReference('BatchResult')) })),
      headers: ['Idempotency-Replayed'],
    },
  ],
  problems: [
    'workspace_required',
    'validation_failed',
    'unknown_field',
    'not_found',
    'conflict',
    'unique_violation',
    'version_mismatch',
    'dangling_reference',
    'idempotency_key_reused',
    'escalation_refused',
    'last_admin',
    'in_use',
    'plan_limit_exceeded',
  ],
};

const entity: JsonSchema = { ...text, pattern: '^[a-z][a-z0-9_]{0,62}$' };
const id: JsonSchema = { ...text, pattern: '^[A-Za-z0-9_-]{1,64}$' };
const data: JsonSchema = { type: 'object', description: 'What the call takes as its body that does it alone.' };
const if_match: JsonSchema = { ...text, description: 'As `If-Match`: entity tags, one of which must be the record’s.' };

export const batchSchemas: Readonly<Record<string, JsonSchema>> = {
  Batch: closedObjectOf({
    mode: { enum: ['atomic', 'independent'] },
    operations: {
      ...arrayOf(
        anyOf([
          closedObjectOf({ action: { const: 'create' }, entity, data }),
          closedObjectOf({ action: { const: 'update' }, entity, id, data, if_match }, ['if_match']),
          closedObjectOf({ action: { const: 'delete' }, entity, id, if_match }, ['if_match']),
        ]),
      ),
      minItems: 1,
      maxItems: 100,
    },
  }),
  BatchResult: anyOf([
    objectOf(
      {
        status: { enum: [200, 201] },
        id: text,
        etag: { ...text, description: 'The record’s entity tag, as `If-Match` takes it.' },
        record: {
          type: 'object',
          description:
            'The record as the call answers it that does this alone; left out where the reply has no room for it.',
        },
      },
      ['record'],
    ),
    objectOf({ status: { const: 204 }, id: text }),
    objectOf({ status: { type: 'integer', minimum: 400 }, error: schemaReference('Problem') }),
  ]),
};
