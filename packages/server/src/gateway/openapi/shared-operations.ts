import { objectOf, text } from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';
import { ifNoneMatch } from './parameters.ts';

const tag = 'operation';

/** What both gateways answer about the process itself: `handlers/shared.ts`. */
export const sharedOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/healthz',
    operationId: 'readHealth',
    tag,
    summary: 'Whether the process lives',
    access: 'public',
    replies: [{ status: 200, description: 'It does.', content: jsonContent(objectOf({ status: { const: 'ok' } })) }],
  },
  {
    method: 'GET',
    path: '/readyz',
    operationId: 'readReadiness',
    tag,
    summary: 'Whether it can serve now, and how safe a write is that it acknowledges',
    access: 'public',
    replies: [
      {
        status: 200,
        description: 'It can.',
        content: jsonContent(objectOf({ status: { const: 'ok' }, store: objectOf({ kind: text, synchronous: text }) })),
      },
    ],
  },
  {
    method: 'GET',
    path: '/problems/:code',
    operationId: 'readProblemPage',
    tag,
    summary: 'The page behind the `type` of a refusal',
    access: 'public',
    replies: [{ status: 200, description: 'What the code means.', content: { 'text/html': text } }],
    problems: ['not_found'],
  },
];

/** The document itself, at each gateway's own place. */
export function documentOperation(place: Pick<Operation, 'path' | 'access'>): Operation {
  return {
    method: 'GET',
    ...place,
    operationId: 'readOpenapi',
    tag,
    summary: 'This document',
    replies: [
      { status: 200, description: 'OpenAPI 3.1.', content: jsonContent({ type: 'object' }), headers: ['ETag'] },
      { status: 304, description: 'The caller’s copy is the current one.', headers: ['ETag'] },
    ],
    parameters: [ifNoneMatch],
  };
}
