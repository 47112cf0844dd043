import { Type } from '@sinclair/typebox';
import { Problem } from '../problem-schema.ts';
import { reply, route } from '../route.ts';
import { anyObject, closed, named, oneOf, text } from '../schema.ts';

const entity = Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$', description: 'the name of an entity' });
const id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'the id of a record' });
const data = anyObject({
  description:
    'The body of the call that does this operation alone. A lookup, or an element of an array of lookups, may be `{"$ref": 0}` or `{"$ref": "name"}`: the record of an earlier operation, by its index or its `ref`.',
});
const ref = Type.Optional(
  Type.String({
    pattern: '^[a-z][a-z0-9_]{0,31}$',
    description: 'a name for the record, by which later operations refer to it; unique in the batch',
  }),
);
const if_match = Type.Optional(
  Type.String({
    pattern: '^[ \\t]*(\\*[ \\t]*|(,[ \\t]*)*((W/)?"[^"]*"[ \\t]*(,[ \\t]*|$))+)$',
    description: '`*` or a list of entity tags, one of which must be the record’s, as `If-Match` takes it',
  }),
);

const force = Type.Optional(
  Type.Boolean({
    description: 'of `aclpolicy` and `group` alone: what holds the record lets it go, as the parameter `force` does',
  }),
);

export const Batch = named(
  'BatchRequest',
  closed({
    mode: oneOf(['atomic', 'independent']),
    operations: Type.Array(
      Type.Union([
        closed({ action: Type.Literal('create'), entity, data, ref }),
        closed({ action: Type.Literal('update'), entity, id, data, if_match, ref }),
        closed({ action: Type.Literal('delete'), entity, id, if_match, force }),
      ]),
      { minItems: 1, maxItems: 100 },
    ),
  }),
);

export const BatchResult = named(
  'BatchResult',
  Type.Union([
    Type.Object({
      status: oneOf([200, 201]),
      id: text,
      etag: Type.String({ description: 'The record’s entity tag, as `If-Match` takes it.' }),
      record: Type.Optional(
        anyObject({
          description:
            'The record as the call for this operation alone returns it; left out if the reply would be too large.',
        }),
      ),
    }),
    Type.Object({ status: Type.Literal(204), id: text }),
    Type.Object({ status: Type.Integer({ minimum: 400 }), error: Problem }),
  ]),
);

export const batchApi = {
  batch: route({
    method: 'POST',
    path: '/app/:org/batch',
    access: 'each',
    tag: 'batches',
    summary: 'Creates, updates and deletes up to 100 records',
    description:
      'Each operation is authorized like the call for it alone. An `atomic` batch does all operations or none, and fails with the error of the operation that failed; an `independent` batch returns a result for each.',
    body: Batch,
    replies: {
      200: reply('A result for each operation, in their order.', Type.Object({ results: Type.Array(BatchResult) }), [
        'Idempotency-Replayed',
      ]),
    },
    problems: [
      'workspace_required',
      'not_found',
      'conflict',
      'unique_violation',
      'version_mismatch',
      'before_event_failed',
      'dangling_reference',
      'escalation_refused',
      'last_admin',
      'in_use',
      'plan_limit_exceeded',
    ],
    repeats: 'by handler',
  }),
};
