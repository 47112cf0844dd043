import { type JsonSchema, text } from '../../lib/json-schema.ts';

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
