import { Type } from '@sinclair/typebox';
import { xRequestIDHeader } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { anyObject, closed, named, oneOf, text } from '../schema.ts';

const name = Type.String({ minLength: 1 });
const properties = Type.Optional(anyObject());
const context = Type.Optional(
  anyObject({ description: 'Accepted and ignored: the platform reads the context from the request itself.' }),
);

export const Evaluation = named(
  'Evaluation',
  closed({
    subject: closed({ type: name, id: name, properties }, { description: '`user` and the caller’s own id.' }),
    action: closed(
      { name, properties },
      { description: 'A verb such as `get`, or an action such as `getorder`; `run` for a logic block.' },
    ),
    resource: closed(
      { type: name, id: Type.Optional(name), properties },
      {
        description:
          'An entity, the id of a record, and in `properties` the fields to be written. Or `logicblock`, the name of a block, and in `properties` the `path` and `input` of the call.',
      },
    ),
    context,
  }),
);

/** A question may leave out what the body has beside the questions; what is wrong with one is answered for that one. */
export const Evaluations = named(
  'Evaluations',
  closed({
    subject: Type.Optional(anyObject()),
    action: Type.Optional(anyObject()),
    resource: Type.Optional(anyObject()),
    context,
    evaluations: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 100,
        description: 'Each as in `Evaluation`; a member that an evaluation leaves out is taken from the request.',
      }),
    ),
    options: Type.Optional(
      Type.Object({
        evaluations_semantic: Type.Optional(oneOf(['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'])),
      }),
    ),
  }),
);

export const AccessDecision = named(
  'AccessDecision',
  Type.Object({
    decision: Type.Boolean(),
    context: Type.Optional(
      Type.Object({
        reason: text,
        decision_id: Type.Optional(Type.String({ description: 'The id by which a builder looks up the reasons.' })),
        error: Type.Optional(Type.Object({ status: Type.Integer(), message: text })),
      }),
    ),
  }),
);

export const authzenApi = {
  evaluateAccess: route({
    method: 'POST',
    path: '/app/:org/access/v1/evaluation',
    access: 'each',
    tag: 'access control',
    summary: 'Whether the caller may do something',
    description: 'By the AuthZEN Authorization API 1.0.',
    headers: [xRequestIDHeader],
    body: Evaluation,
    replies: { 200: reply('The decision.', AccessDecision) },
    problems: ['workspace_required'],
    isRead: true,
    repeats: { notRemembered: 'changes nothing' },
  }),
  evaluateAccesses: route({
    method: 'POST',
    path: '/app/:org/access/v1/evaluations',
    access: 'each',
    tag: 'access control',
    summary: 'Whether the caller may do each of up to 100 things',
    headers: [xRequestIDHeader],
    body: Evaluations,
    replies: {
      200: reply(
        'The decisions in the order of the evaluations, or one decision if none were listed.',
        Type.Union([Type.Object({ evaluations: Type.Array(AccessDecision) }), AccessDecision]),
      ),
    },
    problems: ['workspace_required'],
    isRead: true,
    repeats: { notRemembered: 'changes nothing' },
  }),
};
