import type { ProblemCode } from '@freehold/contract/problem';
import type { Method } from '../../api/router.ts';
import { arrayOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import type { HeaderName } from './headers.ts';

/** What a route takes and everything it may answer. */
export interface Operation {
  readonly method: Method;
  /** As in the route table: what has a `:` before it is a parameter. */
  readonly path: string;
  /** The name of the call in generated clients: it stays once it is out. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: 'public' | 'token';
  /** Those beside the path's. */
  readonly parameters?: readonly Parameter[];
  readonly body?: Content;
  readonly isBodyOptional?: true;
  readonly replies: readonly SuccessReply[];
  readonly example?: Example;
  /** Refusals beside those that every route may give. */
  readonly problems?: readonly ProblemCode[];
}

/** Bodies of a call that succeeds, in JSON. */
export interface Example {
  readonly request?: unknown;
  /** By their statuses. */
  readonly replies?: Readonly<Record<number, unknown>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly deprecated?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The views of an entity that the parameter takes, of which `schema` has the one that replies are described by. */
  readonly 'x-views'?: readonly string[];
}

export interface SuccessReply {
  readonly status: number;
  readonly description: string;
  readonly content?: Content;
  readonly headers?: readonly HeaderName[];
}

/** What a body may be, by media type. */
export type Content = Readonly<Record<string, JsonSchema>>;

export function jsonContent(schema: JsonSchema): Content {
  return { 'application/json': schema };
}

/** JSON Lines: for readers of `contentSchema`, the lines are the elements of an array. */
export function linesContent(mediaTypes: readonly string[], line: JsonSchema): Content {
  return Object.fromEntries(
    mediaTypes.map((contentMediaType) => [
      contentMediaType,
      { ...text, contentMediaType, contentSchema: arrayOf(line) },
    ]),
  );
}

/** Refusals that any route may answer with, whatever it is for. */
const problemsOfEveryRoute: readonly ProblemCode[] = [
  'invalid_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'unavailable',
  'outcome_unknown',
];
/** Only JSON is read as a whole, and so has a limit. A route that takes no body refuses one that is more than `{}`. */
function problemsOfBodies({ method, body }: Operation): readonly ProblemCode[] {
  if (body === undefined) return method === 'GET' ? [] : ['body_too_large', 'unsupported_media_type', 'unknown_field'];
  return 'application/json' in body ? ['body_too_large', 'unsupported_media_type'] : ['unsupported_media_type'];
}

/** What `If-Match` may come to: a change of what has no tag fails too. */
function problemsOfTags({ method, replies }: Operation): readonly ProblemCode[] {
  const isRead = method === 'GET';
  return !isRead || replies.some(({ headers = [] }) => headers.includes('ETag')) ? ['version_mismatch'] : [];
}

/** All refusals of an operation. @param tokenProblems those of every route of its gateway that takes a token. */
export function problemsOf(operation: Operation, tokenProblems: readonly ProblemCode[]): readonly ProblemCode[] {
  return [
    ...new Set([
      ...problemsOfEveryRoute,
      ...(operation.access === 'public' ? [] : tokenProblems),
      ...problemsOfBodies(operation),
      ...problemsOfTags(operation),
      ...(operation.problems ?? []),
    ]),
  ];
}
