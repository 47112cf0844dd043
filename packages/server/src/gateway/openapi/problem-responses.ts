import { type ProblemCode, problemStatus } from '@freehold/contract/problem';
import { Problem as ProblemSchema } from '@freehold/contract/problem-schema';
import { problemTitles } from '@freehold/contract/problem-titles';
import { type JsonSchema, schemaReference } from '../../lib/json-schema.ts';
import { namedSchemas } from './described-operations.ts';
import { type HeaderName, headerReferences } from './headers.ts';

/** The codes by the status they come with, both in ascending order. */
export function groupProblems(codes: readonly ProblemCode[]): ReadonlyMap<number, readonly ProblemCode[]> {
  const sorted = [...new Set(codes)].sort().sort((left, right) => problemStatus[left] - problemStatus[right]);
  return Map.groupBy(sorted, (code) => problemStatus[code]);
}

export function problemReference(codes: readonly ProblemCode[]): JsonSchema {
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
