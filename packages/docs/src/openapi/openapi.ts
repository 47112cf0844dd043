/** What the console reads of an OpenAPI 3.1 document of the platform. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly readOnly?: boolean;
  readonly deprecated?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly description: string;
  readonly schema: Schema;
  /** All views that the parameter takes; `schema` has the one by which the document describes replies. */
  readonly 'x-views'?: readonly string[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface Reply {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Reply>>;
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Operation extends Omit<RawOperation, 'security' | 'tags' | 'parameters'> {
  readonly method: Method;
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  /** Whether it takes a token. */
  readonly takesToken: boolean;
}

export function operationsOf({ paths }: OpenapiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, tags, parameters = [], ...rest }]) => ({
      ...rest,
      method: method.toUpperCase() as Method,
      path,
      tag: tags[0] ?? '',
      parameters,
      takesToken: security === undefined || security.length > 0,
    })),
  );
}

/** The name behind a reference to a component. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The schema itself where it is a reference to a named one. */
export function resolved(document: OpenapiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas?.[nameOf(schema.$ref)];
  return found === undefined ? {} : (found as Schema);
}

/** What a value is, in words: `string, date-time`, `array of Job`, `TicketPage`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  if (schema.type === undefined) return schema.properties === undefined ? 'any value' : 'object';
  const type = typeof schema.type === 'string' ? schema.type : schema.type.join(' or ');
  return schema.format === undefined ? type : `${type}, ${schema.format}`;
}

/** The bounds of a value in words: `at most 120 characters`. Bounds that every integer has are left out. */
export function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema;
  return [
    ...(minimum === undefined || !isBound(minimum) ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined || !isBound(maximum) ? [] : [`at most ${maximum}`]),
    ...(minLength === undefined ? [] : [`at least ${counted(minLength, 'character')}`]),
    ...(maxLength === undefined ? [] : [`at most ${counted(maxLength, 'character')}`]),
    ...(maxItems === undefined ? [] : [`at most ${counted(maxItems, 'element')}`]),
  ].join(', ');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function isBound(value: number): boolean {
  return Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

export interface Reaction {
  readonly status: number;
  readonly description: string;
  /** The codes of a refusal. */
  readonly codes: readonly string[];
  readonly content: Content;
  readonly headers: readonly string[];
}

/** Everything that may be answered, by status. */
export function repliesOf(document: OpenapiDocument, { responses }: Operation): readonly Reaction[] {
  return Object.entries(responses).map(([status, given]) => {
    const reply = (given.$ref === undefined ? given : document.components.responses?.[nameOf(given.$ref)]) as Reply;
    const { description = '', content = {}, headers = {} } = reply;
    return { status: Number(status), description, content, codes: codesOf(content), headers: Object.keys(headers) };
  });
}

function codesOf(content: Content): readonly string[] {
  const parts = content['application/problem+json']?.schema?.allOf ?? [];
  return parts.flatMap(({ properties }) => properties?.code?.enum ?? properties?.code?.const ?? []).map(String);
}

interface Body {
  readonly type: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** The body that is sent, in the first of its media types. */
export function bodyOf({ requestBody }: Operation): Body | undefined {
  const [first] = Object.entries(requestBody?.content ?? {});
  return first && { schema: {}, ...first[1], type: first[0] };
}

export function isJson(type: string): boolean {
  return type === 'application/json';
}
