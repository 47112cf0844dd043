import { pathParameters as described } from '@freehold/contract/parameters';
import type { ProblemCode } from '@freehold/contract/problem';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { headerReferences } from './headers.ts';
import { type Content, type Operation, type Parameter, problemsOf, type SuccessReply } from './operation.ts';
import { groupProblems, problemReference } from './problem-responses.ts';

/** The Operation Object (OpenAPI 3.1, 4.8.10). */
export function renderOperation(operation: Operation, tokenProblems: readonly ProblemCode[]): JsonSchema {
  const { operationId, tag, summary, description, access, body, isBodyOptional, replies, example } = operation;
  const parameters = [...pathParameters(operation.path), ...(operation.parameters ?? [])];
  const problems = groupProblems(problemsOf(operation, tokenProblems));
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(access === 'public' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: isBodyOptional !== true, content: renderContent(body, example?.request) } }),
    responses: {
      ...Object.fromEntries(
        replies.map((reply) => [reply.status, renderReply(reply, example?.replies?.[reply.status])]),
      ),
      ...Object.fromEntries(Array.from(problems, ([status, codes]) => [status, problemReference(codes)])),
    },
  };
}

/** A path as OpenAPI writes it. */
export function templatedPath(path: string): string {
  return path.replaceAll(parameterName, '{$1}');
}

const parameterName = /:(\w+)/g;

export function pathParameters(path: string): readonly Parameter[] {
  return Array.from(path.matchAll(parameterName), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: described[name] ?? '',
    schema: { type: 'string' },
  }));
}

function renderReply({ description, content, headers = [] }: SuccessReply, example: unknown): JsonSchema {
  return {
    description,
    headers: headerReferences(['X-Request-Id', ...headers]),
    ...(content === undefined ? {} : { content: renderContent(content, example) }),
  };
}

/** @param example of the body in JSON, where there is one. */
function renderContent(content: Content, example: unknown): JsonSchema {
  const bodies = Object.entries(content).map(([mediaType, schema]) => {
    const isShown = example !== undefined && mediaType === 'application/json';
    return [mediaType, isShown ? { schema, example } : { schema }];
  });
  return Object.fromEntries(bodies);
}
