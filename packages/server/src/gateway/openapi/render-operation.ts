import { pathParameters as described } from '@freehold/contract/parameters';
import { type ProblemCode, problemStatus } from '@freehold/contract/problem';
import { Problem as ProblemSchema } from '@freehold/contract/problem-schema';
import { problemTitles } from '@freehold/contract/problem-titles';
import { csvType, jsonlTypes } from '../../api/headers/file-format.ts';
import { csvLine } from '../../lib/formats/csv-line.ts';
import { type JsonSchema, schemaReference } from '../../lib/json-schema.ts';
import { namedSchemas } from './described-operations.ts';
import {
  type ExampleTexts,
  type HeaderName,
  headerReferences,
  type MediaTypes,
  type Operation,
  type Parameter,
  problemsOf,
  type SuccessReply,
} from './operation.ts';

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
      : {
          requestBody: {
            required: isBodyOptional !== true,
            content: renderContent(body, { value: example?.request, texts: example?.requestTexts }),
          },
        }),
    responses: {
      ...Object.fromEntries(
        replies.map((reply) => {
          const { status } = reply;
          const shown = { value: example?.replies?.[status], texts: example?.replyTexts?.[status] };
          return [status, renderReply(reply, shown)];
        }),
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

function renderReply({ description, content, headers = [] }: SuccessReply, example: BodyExample): JsonSchema {
  return {
    description,
    headers: headerReferences(['X-Request-Id', ...headers]),
    ...(content === undefined ? {} : { content: renderContent(content, example) }),
  };
}

interface BodyExample {
  /** That in JSON, or the rows of a file. */
  readonly value: unknown;
  readonly texts: ExampleTexts | undefined;
}

function renderContent(content: MediaTypes, { value, texts = {} }: BodyExample): JsonSchema {
  const bodies = Object.entries(content).map(([mediaType, schema]) => {
    const shown = texts[mediaType] ?? exampleIn(mediaType, value);
    return [mediaType, shown === undefined ? { schema } : { schema, example: shown }];
  });
  return Object.fromEntries(bodies);
}

function exampleIn(mediaType: string, example: unknown): unknown {
  if (mediaType === 'application/json') return example;
  if (!Array.isArray(example)) return undefined;
  if (mediaType === csvType) return csvOf(example);
  return jsonlTypes.some((type) => type === mediaType)
    ? example.map((row) => `${JSON.stringify(row)}\n`).join('')
    : undefined;
}

/** Of values that are a cell each. */
function csvOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const cells = Object.entries(rows[0] ?? {}).filter(([, value]) => typeof value !== 'object');
  const names = cells.map(([name]) => name);
  return [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '')))].map(csvLine).join('');
}

/** The codes by the status they come with, both in ascending order. */
export function groupProblems(codes: readonly ProblemCode[]): ReadonlyMap<number, readonly ProblemCode[]> {
  const sorted = [...new Set(codes)].sort().sort((left, right) => problemStatus[left] - problemStatus[right]);
  return Map.groupBy(sorted, (code) => problemStatus[code]);
}

function problemReference(codes: readonly ProblemCode[]): JsonSchema {
  return { $ref: `#/components/responses/${responseName(codes)}` };
}

/** A response is named by its codes, so that operations that are refused for the same reasons share it. */
function responseName(codes: readonly ProblemCode[]): string {
  return codes.join('.');
}

/** The Response Objects (OpenAPI 3.1, 4.8.17) behind the references. */
export function problemComponents(groups: readonly (readonly ProblemCode[])[]): JsonSchema {
  const byName = new Map(groups.map((codes) => [responseName(codes), codes]));
  return Object.fromEntries(Array.from(byName, ([name, codes]) => [name, problemResponse(codes)]));
}

function problemResponse(codes: readonly ProblemCode[]): JsonSchema {
  const status = Math.max(...codes.map((code) => problemStatus[code]));
  const narrowed = { type: 'object', properties: { status: { const: status }, code: { enum: codes } } };
  return {
    description: `${codes.map((code) => problemTitles[code]).join('; ')}.`,
    headers: headerReferences(['X-Request-Id', ...headersOf(status)]),
    content: { 'application/problem+json': { schema: { allOf: [schemaReference('Problem'), narrowed] } } },
  };
}

function headersOf(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}

/** The body of every refusal (RFC 9457). */
export const problemSchemas = namedSchemas([ProblemSchema]);
