import { Type } from '@sinclair/typebox';
import { nexttoken, pagesize } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, count, named, oneOf, orNull, text } from '../../schema.ts';

export const PlatformError = named(
  'PlatformError',
  Type.Object({
    at: Type.String({
      format: 'date-time',
      description: 'When it happened, the last time if it happened several times.',
    }),
    times: Type.Integer({
      minimum: 1,
      description: 'How often the same work failed by the same fault: such failures are one entry. 1 for a request.',
    }),
    first_at: Type.String({ format: 'date-time', description: 'When it happened first.' }),
    kind: oneOf(['request', 'background'], {
      description: 'Whether a request was answered with a status of 500 and more, or work in the background failed.',
    }),
    request_id: orNull(text, { description: 'Null for work in the background.' }),
    gateway: orNull(oneOf(['app', 'management', 'metrics'])),
    method: orNull(text),
    route: orNull(text, {
      description: 'The pattern of the route, never the path. Null for a request that reached no route.',
    }),
    status: orNull(count, { description: 'Null if the connection ended before the reply.' }),
    problem: orNull(text, { description: 'The code of the refusal.' }),
    org: orNull(text),
    env: orNull(oneOf(['test', 'prod'])),
    job: orNull(text, {
      description:
        'The work in the background that failed, such as `purge-entity`; null for a request, and where it is not known.',
    }),
    fault: orNull(
      Type.Object({
        name: Type.String({ description: 'The class of the error, such as `TypeError`.' }),
        code: orNull(text, { description: 'The code of a system or database error, such as `ENOSPC`.' }),
        message: orNull(text, {
          description:
            'The sentence of an error that the platform raised, without addresses, quoted texts and long tokens. Null for other errors: their sentences may quote what was sent. The log has them.',
        }),
        place: orNull(text, {
          description: 'The first line of the platform’s own code in the stack, such as `records/record.ts:120`.',
        }),
      }),
      { description: 'Null if the platform refused the request by itself, as while it drains.' },
    ),
  }),
);

export const platformErrorsApi = {
  listErrors: route({
    method: 'GET',
    path: '/platform/errors',
    access: 'operator',
    tag: 'platform',
    summary: 'The last errors of this node since it started',
    description:
      'The latest first: replies of 500 and more, and work in the background that failed. Kept in memory: the last 500 requests that failed, the last 500 that were answered 503, and the last 500 different failures in the background: the same work that fails by the same fault is one entry, with a count. Readiness probes that were answered 503 are left out.',
    query: closed({
      request_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, description: 'Only the error of this request.' }),
      ),
      pagesize: Type.Integer({ ...pagesize, maximum: 100 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: {
      200: reply(
        'A page.',
        Type.Object({
          since: Type.String({ format: 'date-time', description: 'The start of this node.' }),
          dropped: Type.Integer({ minimum: 0, description: 'How many earlier errors are not kept any more.' }),
          items: Type.Array(PlatformError),
          nexttoken: orNull(text),
        }),
      ),
    },
    problems: ['rate_limited', 'invalid_cursor'],
  }),
};
