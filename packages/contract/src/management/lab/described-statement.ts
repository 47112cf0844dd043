/** A statement with its part in a decision. */
import { Type } from '@sinclair/typebox';
import { InputError } from '../../problem-schema.ts';
import { renamedFields } from '../../renamed-fields.ts';
import { named, oneOf, text } from '../../schema.ts';

export const renamed = Type.Optional(renamedFields);

export const DescribedStatement = named(
  'DescribedStatement',
  Type.Object({
    source: oneOf(['direct', 'group', 'draft'], { description: 'How the person holds the policy.' }),
    group: Type.Optional(text),
    group_id: Type.Optional(text),
    policy: text,
    policy_id: Type.Optional(text),
    index: Type.Integer({ minimum: 0, description: 'The place of the statement in its policy, from 0.' }),
    Sid: Type.Optional(text),
    Effect: oneOf(['Allow', 'Deny']),
    Mode: Type.Optional(
      Type.Literal('report', { description: 'The statement is decided and recorded, and never enforced.' }),
    ),
    would: Type.Optional(
      oneOf(['allow', 'deny'], {
        description: 'What a statement with `Mode` would do to the call if it was enforced; left out if nothing.',
      }),
    ),
    Action: Type.String({ description: 'The pattern that the action matched.' }),
    Resource: Type.String({ description: 'The pattern that the resource matched.' }),
    Fields: Type.Optional(
      Type.Array(text, { description: 'The fields that the statement is limited to, if it is limited.' }),
    ),
    conditions: Type.Optional(
      Type.Array(Type.Object({ operator: text, key: text, expected: Type.Array(text) }), {
        description: 'In a simulation, all conditions of the statement, with up to 20 values each.',
      }),
    ),
    renamed,
    ambiguous: Type.Optional(
      Type.Array(Type.Object({ key: text, members: Type.Array(text) }), {
        description: 'The keys that match several members whose names differ only in ASCII case.',
      }),
    ),
    matched: Type.Boolean({ description: 'False if only the condition kept the statement from matching.' }),
    failed_condition: Type.Optional(
      Type.Object({
        operator: text,
        key: text,
        expected: Type.Array(text),
        actual: Type.Array(text),
        state: Type.Optional(
          oneOf(['before', 'after'], {
            description: 'For an update, the state of the record that has the actual values.',
          }),
        ),
      }),
    ),
    open: Type.Optional(
      Type.Literal(true, { description: 'Whether the statement matches depends on values that were not given.' }),
    ),
    over_budget: Type.Optional(
      Type.Literal(true, {
        description: 'The evaluation reached its budget: a Deny counts as matching, an Allow as not matching.',
      }),
    ),
    broken: Type.Optional(Type.Array(InputError)),
  }),
);

export const outcome = oneOf(['allowed', 'explicit_deny', 'implicit_deny', 'undecided']);
