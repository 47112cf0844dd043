import { type JsonSchema, text } from '../../lib/json-schema.ts';
import type { Parameter } from './operation.ts';

export const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'Entity tags, one of which must be the record’s current one; else 412.',
  schema: text,
};

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Entity tags of the caller’s copies; 304 if one of them is current.',
  schema: text,
};

/** Of a change; of a read see `ifNoneMatch`. */
export const ifNoMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Entity tags, none of which may be the current one; else 412.',
  schema: text,
};

export function queryParameter(name: string, schema: JsonSchema, description: string): Parameter {
  return { name, in: 'query', description, schema };
}

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
