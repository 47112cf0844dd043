import { Type } from '@sinclair/typebox';
import { type ProblemCode, problemStatus } from './problem.ts';
import { named, oneOf, text } from './schema.ts';

export const InputError = named(
  'InputError',
  Type.Object({
    pointer: Type.String({
      format: 'json-pointer',
      description: 'The JSON Pointer (RFC 6901) to the mistake in the input.',
    }),
    code: text,
    message: text,
  }),
);

/** The body of every refusal (RFC 9457). */
export const Problem = named(
  'Problem',
  Type.Object(
    {
      type: Type.String({ format: 'uri', description: 'The address of a page about the code.' }),
      title: text,
      status: Type.Integer(),
      detail: text,
      code: oneOf(Object.keys(problemStatus) as ProblemCode[], { description: 'Stable, unlike the texts.' }),
      request_id: text,
      errors: Type.Optional(Type.Array(InputError, { maxItems: 100 })),
      reason: Type.Optional(oneOf(['implicit_deny', 'explicit_deny'])),
      decision_id: Type.Optional(
        Type.String({ description: 'The id by which the builder looks up why the call was denied.' }),
      ),
      etag: Type.Optional(Type.String({ description: 'Of a 412: the present tag.' })),
      held_by: Type.Optional(
        Type.Object(
          {
            users: Type.Optional(Type.Integer()),
            keys: Type.Optional(Type.Integer()),
            groups: Type.Optional(Type.Integer()),
            invitations: Type.Optional(Type.Integer()),
          },
          { description: 'Of a 409 `in_use`: how many of each hold the policy or the group.' },
        ),
      ),
    },
    { additionalProperties: true },
  ),
);
