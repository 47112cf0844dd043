import { bodyOf, isJson, type OpenapiDocument, type Operation, repliesOf, resolved, type Schema } from './openapi.ts';

/** The text of a body to begin with: the example of the document, or what its schema requires. Empty where the body is a file. */
export function exampleTextOf(document: OpenapiDocument, operation: Operation): string {
  const body = bodyOf(operation);
  if (body === undefined || !isJson(body.type)) return '';
  return textOf(body.example ?? requiredOf(document, body.schema));
}

export interface ExampleReply {
  readonly status: number;
  readonly value: unknown;
}

/** What a plain call is answered that succeeds: it makes or gives something, before it is a dry run or work that goes on. */
export function exampleReplyOf(document: OpenapiDocument, operation: Operation): ExampleReply | undefined {
  const replies = repliesOf(document, operation).toSorted((one, other) => rankOf(one.status) - rankOf(other.status));
  const [first] = replies;
  const value = first?.content['application/json']?.example;
  return first === undefined || value === undefined ? undefined : { status: first.status, value };
}

function rankOf(status: number): number {
  const rank = plainFirst.indexOf(status);
  return rank === -1 ? plainFirst.length : rank;
}

const plainFirst: readonly number[] = [201, 200, 204, 202];

export function textOf(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A value of about the form that the schema takes, with required members alone. */
function requiredOf(document: OpenapiDocument, given: Schema): unknown {
  const schema = resolved(document, given);
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return requiredOf(document, schema.anyOf[0]);
  switch (schema.type) {
    case 'string':
      return wordOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    case 'array':
      return [];
    default: {
      const { properties = {}, required = [] } = schema;
      return Object.fromEntries(required.map((name) => [name, requiredOf(document, properties[name] ?? {})]));
    }
  }
}

function wordOf({ format, minLength = 0, maxLength }: Schema): string {
  const text = format === undefined ? 'text' : (formats[format] ?? 'text');
  return text.padEnd(minLength, 'x').slice(0, maxLength);
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:00:00Z',
  email: 'ann@example.com',
  uuid: '00000000-0000-0000-0000-000000000000',
};

function numberOf({ minimum, maximum }: Schema): number {
  const least = minimum !== undefined && minimum > 1 ? minimum : 1;
  return maximum !== undefined && maximum < least ? maximum : least;
}
