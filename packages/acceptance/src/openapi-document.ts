/** An OpenAPI 3.1 document as a client reads it: the operations it tells of, and whether it tells of a reply. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Reply } from './call.ts';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly 'x-views'?: readonly string[];
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly parameters: readonly Parameter[];
  /** Of a JSON body; undefined where none is taken. */
  readonly body: Schema | undefined;
  readonly isBodyRequired: boolean;
  /** The bodies that are taken, by media type. */
  readonly bodies: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface OpenapiDocument {
  readonly operations: readonly Operation[];
  operation(id: string): Operation;
  /** The schema itself, where it is a reference to one. */
  resolve(schema: Schema): Schema;
  fits(schema: Schema, value: unknown): boolean;
  /** Compares a reply with its description: status, media type, every member of the body, headers. */
  assertDocumented(operation: Operation, reply: Reply<unknown>): void;
}

interface RawOperation
  extends Omit<Operation, 'id' | 'body' | 'bodies' | 'isBodyRequired' | 'method' | 'path' | 'isPublic'> {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly requestBody?: Response & { readonly required?: boolean };
}

interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

const base = 'openapi:document';

export function readOpenapi(text: string): OpenapiDocument {
  const document = closed(JSON.parse(text.replaceAll('"#/components/', `"${base}#/components/`))) as RawDocument;
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  ajv.addSchema({ components: document.components }, base);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, raw]) => operationOf(raw, method.toUpperCase(), path)),
  );
  const resolve = (schema: Schema): Schema => {
    const [, kind = '', name = ''] = /#\/components\/(\w+)\/(.+)$/.exec(String(schema.$ref ?? '')) ?? [];
    if (kind === '') return schema;
    const found = document.components[kind]?.[name];
    assert.ok(found !== undefined, `nothing stands at ${String(schema.$ref)}`);
    return found;
  };
  const compiled = new Map<Schema, ValidateFunction>();
  const validator = (schema: Schema): ValidateFunction => {
    const known = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, known);
    return known;
  };
  return {
    operations,
    operation: (id) => {
      const found = operations.find((operation) => operation.id === id);
      assert.ok(found !== undefined, `there is no operation ${id}`);
      return found;
    },
    resolve,
    fits: (schema, value) => validator(schema)(value),
    assertDocumented: (operation, reply) => {
      const where = `${operation.id} answered ${reply.status} ${reply.text.slice(0, 500)}`;
      const response = operation.responses[String(reply.status)];
      assert.ok(response !== undefined, `a status that is not described: ${where}`);
      const { headers = {}, content } = resolve(response as Schema) as Response;
      assertHeaders(reply, new Map(Object.entries(headers).map(([name, header]) => [name, resolve(header)])), where);
      if (content === undefined) return assert.equal(reply.text, '', `a body that is not described: ${where}`);
      const [mediaType = ''] = (reply.headers.get('content-type') ?? '').split(';');
      const schema = content[mediaType]?.schema;
      assert.ok(schema !== undefined, `the media type ${mediaType} is not described: ${where}`);
      const isMinimal = reply.headers.get('preference-applied') === 'return=minimal';
      const reported: Schema = isMinimal ? { $ref: `${base}#/components/schemas/RecordId` } : schema;
      const { contentSchema = reported } = reported;
      const validate = validator(contentSchema as Schema);
      const value = schema.contentSchema === undefined ? (reply.body ?? reply.text) : linesOf(reply.text);
      assert.ok(validate(value), `${where}\n${JSON.stringify(validate.errors, undefined, 1)}`);
    },
  };
}

/** Headers that a client acts upon: a header in the reply has to be described. */
const meaningful = [
  'etag',
  'location',
  'content-disposition',
  'idempotency-replayed',
  'retry-after',
  'www-authenticate',
  'preference-applied',
  'x-service-token',
  'x-request-id',
];

function assertHeaders(reply: Reply<unknown>, reported: ReadonlyMap<string, Schema>, where: string): void {
  for (const [name, header] of reported)
    if (header.required === true) assert.ok(reply.headers.has(name), `without the header ${name}: ${where}`);
  const names = [...reported.keys()].map((name) => name.toLowerCase());
  for (const name of meaningful)
    if (reply.headers.has(name)) assert.ok(names.includes(name), `the header ${name} is not described: ${where}`);
}

/** The values of JSON Lines, as the array that the document describes. */
function linesOf(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function operationOf(raw: RawOperation, method: string, path: string): Operation {
  return {
    id: raw.operationId,
    method,
    path,
    isPublic: raw.security?.length === 0,
    parameters: raw.parameters ?? [],
    body: raw.requestBody?.content?.['application/json']?.schema,
    isBodyRequired: raw.requestBody?.required === true,
    bodies: raw.requestBody?.content ?? {},
    responses: raw.responses,
  };
}

/** The same document, whose objects have no member that it does not tell of. */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  const members = Object.entries(value).map(([key, member]) => [key, key === 'allOf' ? member : closed(member)]);
  const isOpen = 'properties' in value && !('additionalProperties' in value);
  return { ...Object.fromEntries(members), ...(isOpen ? { unevaluatedProperties: false } : {}) };
}
