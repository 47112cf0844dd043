import * as described from '@freehold/contract/parameters';
import type { ProblemCode } from '@freehold/contract/problem';
import type { HeaderParameter } from '@freehold/contract/route';
import type { Method } from '../../api/router.ts';
import { arrayOf, type JsonSchema, text } from '../../lib/json-schema.ts';

/** The request of a route, and every reply to it. */
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
  readonly body?: MediaTypes;
  readonly isBodyOptional?: true;
  readonly replies: readonly SuccessReply[];
  readonly example?: OperationExample;
  /** Refusals beside those that every route may give. */
  readonly problems?: readonly ProblemCode[];
}

/** Bodies of a call that succeeds, in JSON, and those in other formats. */
export interface OperationExample {
  readonly request?: unknown;
  /** By their statuses. */
  readonly replies?: Readonly<Record<number, unknown>>;
  readonly requestTexts?: ExampleTexts;
  /** By their statuses. */
  readonly replyTexts?: Readonly<Record<number, ExampleTexts>>;
}

/** By their media types, as they are sent. */
export type ExampleTexts = Readonly<Record<string, string>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly deprecated?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The views of an entity that the parameter takes, of which `schema` has the view that describes replies. */
  readonly 'x-views'?: readonly string[];
}

export interface SuccessReply {
  readonly status: number;
  readonly description: string;
  readonly content?: MediaTypes;
  readonly headers?: readonly HeaderName[];
}

/** The allowed bodies, by media type. */
export type MediaTypes = Readonly<Record<string, JsonSchema>>;

export function jsonContent(schema: JsonSchema): MediaTypes {
  return { 'application/json': schema };
}

/** JSON Lines: for readers of `contentSchema`, the lines are the elements of an array. */
export function linesContent(mediaTypes: readonly string[], line: JsonSchema): MediaTypes {
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
/** Only JSON is read as a whole, and so has a limit. A route that takes no body refuses more than `{}`. */
function problemsOfBodies({ method, body }: Operation): readonly ProblemCode[] {
  if (body === undefined) return method === 'GET' ? [] : ['body_too_large', 'unsupported_media_type', 'unknown_field'];
  return 'application/json' in body ? ['body_too_large', 'unsupported_media_type'] : ['unsupported_media_type'];
}

/** The result of `If-Match` may: a change of what has no tag fails too. */
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

/** The headers that replies are described with. A `required` header is in every reply that names it. */
const headers = {
  'X-Request-Id': { description: 'Names the request in logs and refusals.', required: true, schema: text },
  // Not where a reply shows other records too, which change without it.
  ETag: { description: 'What `If-Match` and `If-None-Match` take.', schema: text },
  'Content-Disposition': { description: 'A name for the file.', required: true, schema: text },
  Location: { description: 'The address of the created object.', required: true, schema: text },
  'Idempotency-Replayed': {
    description: '`true` if the response is that of an earlier sending of the request; else left out.',
    schema: { const: 'true' },
  },
  'Preference-Applied': { description: 'The preference of `Prefer` that was applied.', schema: text },
  'WWW-Authenticate': { description: 'The kind of token that is needed (RFC 6750).', required: true, schema: text },
  'Retry-After': {
    description: 'Seconds until a retry can succeed.',
    required: true,
    schema: { type: 'integer' },
  },
  'x-service-token': { description: 'The app JWT.', required: true, schema: text },
} as const;

export type HeaderName = keyof typeof headers;

export function headerReferences(names: readonly HeaderName[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The Header Objects (OpenAPI 3.1, 4.8.21) behind the references. */
export function headerComponents(names: readonly HeaderName[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

/** A header as the contract describes it. */
export function headerParameter({ name, description, schema, isRequired }: HeaderParameter): Parameter {
  return { name, in: 'header', ...(isRequired === true ? { required: true } : {}), description, schema: { ...schema } };
}

export const ifMatch = headerParameter(described.ifMatch);
export const ifNoneMatch = headerParameter(described.ifNoneMatch);
export const ifNoMatch = headerParameter(described.ifNoMatch);

export const org = headerParameter(described.orgHeader);

export function queryParameter(name: string, schema: JsonSchema, description: string): Parameter {
  return { name, in: 'query', description, schema };
}

export const force = queryParameter(
  'force',
  { type: 'boolean', default: false },
  'Takes the record from all who hold it, up to 100, in place of the refusal `in_use`.',
);

export const prefer: Parameter = {
  name: 'Prefer',
  in: 'header',
  description: 'With `return=minimal` (RFC 7240) the reply holds the id alone.',
  schema: text,
};

export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A key for the request, chosen by the caller. A request that is sent again within 24 hours under the same key is answered as the first time and not done again; another request under that key is a 422.',
  schema: { ...text, minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
};
