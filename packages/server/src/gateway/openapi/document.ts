import type { ProblemCode } from '@freehold/contract/problem';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { type HeaderName, headerComponents } from './headers.ts';
import { type Operation, problemsOf } from './operation.ts';
import { groupProblems, problemComponents, problemSchemas } from './problem-responses.ts';
import { renderOperation, templatedPath } from './render-operation.ts';

/** What the document of a gateway is put together from. */
export interface DocumentParts {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Any one of them lets a caller in. */
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  /** What may be wrong with a token. */
  readonly tokenProblems: readonly ProblemCode[];
}

/** An OpenAPI 3.1 document. It names no server, so its paths are those of the host that it was read from. */
export function buildDocument(parts: DocumentParts): JsonSchema {
  const { title, version, description, operations, schemas, securitySchemes, tokenProblems } = parts;
  const problems = operations.flatMap((one) => [...groupProblems(problemsOf(one, tokenProblems)).values()]);
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: renderPaths(operations, tokenProblems),
    components: {
      schemas: { ...problemSchemas, ...schemas },
      responses: problemComponents(problems),
      headers: headerComponents(headersOf(operations)),
      securitySchemes,
    },
  };
}

function renderPaths(operations: readonly Operation[], tokenProblems: readonly ProblemCode[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of operations) {
    const path = templatedPath(operation.path);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = renderOperation(operation, tokenProblems);
  }
  return paths;
}

function headersOf(operations: readonly Operation[]): readonly HeaderName[] {
  const ofReplies = operations.flatMap(({ replies }) => replies.flatMap(({ headers = [] }) => headers));
  return [...new Set<HeaderName>(['X-Request-Id', 'WWW-Authenticate', 'Retry-After', ...ofReplies])];
}
