import { bodyOf, isJson, type OpenapiDocument, type Operation, resolved, type Schema } from './openapi.ts';

const depthMax = 4;
const optionalMax = 5;

/** The text of a body to begin with; empty where the body is a file. */
export function exampleTextOf(document: OpenapiDocument, operation: Operation): string {
  const body = bodyOf(operation);
  if (body === undefined || !isJson(body.type)) return '';
  const schema = resolved(document, body.schema);
  const made = madeByPlatform(document, operation);
  const sent = Object.entries(schema.properties ?? {}).filter(([name]) => !made.has(name));
  const example = schema.properties === undefined ? schema : { ...schema, properties: Object.fromEntries(sent) };
  return JSON.stringify(exampleOf(document, example), null, 2);
}

/** Members that are read only in a reply, and may all the same be sent as they were read. */
function madeByPlatform(document: OpenapiDocument, { responses }: Operation): ReadonlySet<string> {
  const answered = responses['200']?.content?.['application/json']?.schema ?? {};
  const { properties = {} } = resolved(document, answered.anyOf?.[0] ?? answered);
  return new Set(Object.keys(properties).filter((name) => properties[name]?.readOnly === true));
}

/** A value that the schema takes, as short as it can be: what is needed, or else a few members. */
export function exampleOf(document: OpenapiDocument, given: Schema, depth = 0): unknown {
  const schema = resolved(document, given);
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.[0] !== undefined) return exampleOf(document, choices[0], depth);
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    case 'array':
      return schema.items === undefined || depth >= depthMax ? [] : [exampleOf(document, schema.items, depth + 1)];
    case 'null':
      return null;
    default:
      return objectOf(document, schema, depth);
  }
}

function objectOf(document: OpenapiDocument, { properties = {}, required = [] }: Schema, depth: number): object {
  if (depth >= depthMax) return {};
  const members = Object.entries(properties).filter(([, member]) => !isPlatformMade(document, member));
  const needed = members.filter(([name]) => required.includes(name));
  const shown = needed.length > 0 || depth > 0 ? needed : members.filter(([, member]) => isPlain(document, member));
  return Object.fromEntries(
    shown
      .slice(0, Math.max(needed.length, optionalMax))
      .map(([name, member]) => [name, exampleOf(document, member, depth + 1)]),
  );
}

function isPlatformMade(document: OpenapiDocument, member: Schema): boolean {
  return resolved(document, member).readOnly === true || member.deprecated === true;
}

/** Ids lead somewhere only if they are real, so a member that may be left out and is an id is no example. */
function isPlain(document: OpenapiDocument, member: Schema): boolean {
  const [first = member] = member.anyOf ?? [];
  const { format, items, type } = resolved(document, first);
  return format !== 'uuid' && items === undefined && type !== 'object';
}

function textOf({ format, minLength = 0, maxLength }: Schema): string {
  const text = format === undefined ? 'text' : (formats[format] ?? 'text');
  return text.padEnd(minLength, 'x').slice(0, maxLength);
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-0000-0000-000000000000',
  password: 'a long password',
};

function numberOf({ minimum, maximum }: Schema): number {
  const least = minimum !== undefined && minimum > 1 ? minimum : 1;
  return maximum !== undefined && maximum < least ? maximum : least;
}
