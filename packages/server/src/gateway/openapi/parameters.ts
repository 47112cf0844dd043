import * as described from '@freehold/contract/parameters';
import type { HeaderParameter } from '@freehold/contract/route';
import { type JsonSchema, text } from '../../lib/json-schema.ts';
import type { Parameter } from './operation.ts';

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
