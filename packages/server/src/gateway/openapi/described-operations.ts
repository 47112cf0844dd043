import { accessSentence, productionSentence } from '@freehold/contract/access';
import type { ReplyDescription, Route } from '@freehold/contract/route';
import { ofRecordsMark, schemaPath, type TObject, type TSchema } from '@freehold/contract/schema';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { isRemembered } from '../answer-once.ts';
import type { Examples } from './examples/recorded-examples.ts';
import {
  headerParameter,
  idempotencyKey,
  jsonContent,
  type MediaTypes,
  type Operation,
  org,
  type Parameter,
} from './operation.ts';

interface DescribedApi {
  readonly operations: readonly Operation[];
  /** Those that the operations refer to by their names, and these to one another. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** The operations of routes that the contract describes, by their names. */
export function describedOperations(routes: Readonly<Record<string, Route>>, examples: Examples): DescribedApi {
  const schemas: Record<string, JsonSchema> = {};
  const refer: Refer = (schema) => referring(schema, schemas) as JsonSchema;
  const operations = Object.entries(routes).map(([operationId, route]) => {
    const example = examples[`${route.method} ${route.path}`];
    return { ...operationOf(operationId, route, refer), ...(example === undefined ? {} : { example }) };
  });
  return { operations, schemas };
}

/** Named schemas, and those that they refer to, by their names. */
export function namedSchemas(roots: readonly TSchema[]): DescribedApi['schemas'] {
  const schemas: Record<string, JsonSchema> = {};
  for (const root of roots) referring(root, schemas);
  return schemas;
}

/** A schema in which named ones are referred to. */
type Refer = (schema: JsonSchema) => JsonSchema;

function referring(value: unknown, schemas: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((element) => referring(element, schemas));
  if (typeof value !== 'object' || value === null) return value;
  // The gateway reads the mark, and the description tells readers of it.
  const { $id, [ofRecordsMark]: _, ...rest } = value as JsonSchema;
  const inside = () =>
    Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, referring(member, schemas)]));
  if (typeof $id !== 'string') return $id === undefined ? inside() : { $id: referring($id, schemas), ...inside() };
  schemas[$id] ??= inside();
  return { $ref: schemaPath($id) };
}

function operationOf(operationId: string, route: Route, refer: Refer): Operation {
  const { method, path, tag, summary, description, isBodyOptional } = route;
  const takesKey = route.repeats === 'by handler' || isRemembered({ method, route });
  const parameters = [
    ...queryParameters(route.query, refer),
    ...(route.headers ?? []).map(headerParameter),
    ...(takesKey ? [idempotencyKey] : []),
    ...(isOfOrg(route) ? [org] : []),
  ];
  return {
    method,
    path,
    operationId,
    tag,
    summary,
    description: [description, productionSentence(route.production), accessSentence(route.access)]
      .filter((sentence) => sentence !== undefined)
      .join(' '),
    access: route.access === 'public' ? 'public' : 'token',
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(route, refer),
    ...(isBodyOptional === true ? { isBodyOptional } : {}),
    replies: Object.entries(route.replies).map(([status, reply]) => ({
      status: Number(status),
      description: reply.description,
      ...contentOf(reply, refer),
      headers: [...(reply.headers ?? []), ...(takesKey ? (['Idempotency-Replayed'] as const) : [])],
    })),
    problems: [...(route.problems ?? []), ...impliedProblems(route), ...(takesKey ? problemsOfKeys : [])],
  };
}

/** One with a default may be left out. */
function queryParameters(query: TObject | undefined, refer: Refer): readonly Parameter[] {
  return Object.entries(query?.properties ?? {}).map(([name, shape]) => {
    const { description, ...schema } = shape as JsonSchema;
    const isNeeded = schema.default === undefined && (query?.required ?? []).includes(name);
    const needed = isNeeded ? { required: true } : {};
    return { name, in: 'query', description: String(description ?? ''), ...needed, schema: refer(schema) };
  });
}

function bodyOf({ body, takesStreamOf }: Route, refer: Refer): { readonly body?: MediaTypes } {
  if (takesStreamOf !== undefined) return { body: Object.fromEntries(takesStreamOf.map((type) => [type, {}])) };
  return body === undefined ? {} : { body: jsonContent(refer(body as JsonSchema)) };
}

function contentOf({ schema, content }: ReplyDescription, refer: Refer): { readonly content?: MediaTypes } {
  if (schema !== undefined) return { content: jsonContent(refer(schema as JsonSchema)) };
  if (content === undefined) return {};
  const entries = Object.entries(content).map(([type, one]) => [type, refer(one as JsonSchema)]);
  return { content: Object.fromEntries(entries) };
}

/** The consequences of the rest of a description. */
function impliedProblems({ body, access, method, production }: Route): NonNullable<Operation['problems']> {
  const ofOrg = isOfOrg({ access });
  return [
    ...(body === undefined ? [] : (['validation_failed', 'unknown_field'] as const)),
    ...(admins.includes(access) || production?.refused !== undefined ? (['role_required'] as const) : []),
    ...(ofOrg && method !== 'GET' ? (['origin_refused'] as const) : []),
    ...(ofOrg ? (['org_mismatch'] as const) : []),
  ];
}

/** Whether a builder or a deploy key calls it, each of which belongs to an org. */
function isOfOrg({ access }: Pick<Route, 'access'>): boolean {
  return [...builders, ...admins].includes(access);
}

const admins: readonly string[] = ['org_admin', 'activate'];
const builders: readonly string[] = ['developer', 'watch', 'publish'];
const problemsOfKeys = ['conflict', 'idempotency_key_reused'] as const;
