/** Puts a handler behind the description of its route: what comes to the handler fits it, and the reply follows from it. */

import type { InputError } from '@freehold/contract/problem';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '@freehold/contract/route';
import { checkSchema, describedFormat } from '../lib/check-schema.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { invalidBody } from '../lib/problem.ts';
import { readDescribedQuery } from '../lib/query-string.ts';
import { assertMayAsk, shownBy } from './production-values.ts';
import { json, type Reply } from './reply.ts';
import type { GatewayRequest, RequestEnvelope, TakesBody } from './request.ts';
import type { Callers, RouteAccess, ServedRoute } from './route.ts';

/** A request as it comes to the handler of a described route. */
export interface Received<R extends Route> extends RequestEnvelope {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

type AccessOf<R extends Route> = Extract<R['access'], RouteAccess>;

type Handle<R extends Route, A> = (request: Received<R>, caller: Callers[AccessOf<R>]) => A;

/** The result of a handler. One whose reply has no body may wait for what it does, and gives nothing. */
type RouteAnswer<R extends Route> = MaybePromise<ReplyOf<R>> | (undefined extends ReplyOf<R> ? Promise<void> : never);

/** The part of a route that the contract does not describe. */
interface HandlerOptions extends Pick<ServedRoute, 'readTexts'> {
  /** The faults of the members of a body together, of any kind: reported with the mistakes of its schema. */
  readonly mistakes?: FindMistakes;
}

type FindMistakes = (body: unknown) => readonly InputError[];

/** The handler gives what the reply holds; nothing where it has no body. */
export function serve<R extends Route>(route: R, handle: Handle<R, RouteAnswer<R>>, beside: HandlerOptions = {}) {
  const [status = 204] = Object.keys(route.replies).map(Number);
  const shown = shownBy(route);
  return serveChecked(
    route,
    (request, caller) =>
      andThen(handle(request, caller), (value): Reply => {
        if (value === undefined) return { status };
        return json(status, shown === undefined ? value : shown(value, caller, request));
      }),
    beside,
  );
}

/** The handler makes the reply itself, where it has headers, or is no JSON. */
export function serveReply<R extends Route>(
  route: R,
  handle: Handle<R, MaybePromise<Reply>>,
  beside: HandlerOptions = {},
): ServedRoute<AccessOf<R>> {
  const shown = shownBy(route);
  if (shown === undefined) return serveChecked(route, handle, beside);
  const handleShown: typeof handle = (request, caller) =>
    andThen(handle(request, caller), (reply): Reply => {
      if (reply.stream !== undefined) throw new TypeError(`a part of the reply of ${route.path} is not for all`);
      if (reply.body === undefined) return reply;
      const body: unknown = JSON.parse(reply.body);
      return { ...reply, body: JSON.stringify(shown(body, caller, request)) };
    });
  return serveChecked(route, handleShown, beside);
}

function serveChecked<R extends Route>(
  route: R,
  handle: Handle<R, MaybePromise<Reply>>,
  { mistakes, ...beside }: HandlerOptions,
): ServedRoute<AccessOf<R>> {
  const { method, path, access } = route;
  const { takesTags, refusedAs, isMetered, isGated, takesAnyone, takesUnprotected, isRead, compressed } = route;
  const queryForm = formOf(route.query);
  const bodyForm = formOf(route.body);
  const handleChecked = (request: GatewayRequest, caller: Callers[AccessOf<R>]) => {
    const { params, ...rest } = request;
    const query = queryForm(readDescribedQuery(route.query, request.query)) as QueryOf<R>;
    const body = bodyForm(checkedBody(route, request.body, mistakes)) as BodyOf<R>;
    assertMayAsk(route, caller, { query, body });
    return handle({ ...rest, params: params as ParamsOf<R>, query, body }, caller);
  };
  const takesBody = bodyTaken(route);
  const flags = { takesTags, refusedAs, isMetered, isGated, takesAnyone, takesUnprotected, isRead, compressed };
  const description = Object.fromEntries(
    Object.entries({ ...flags, takesBody }).filter(([, value]) => value !== undefined),
  );
  return { method, path, access, ...description, ...beside, route, handle: handleChecked } as unknown as ServedRoute<
    AccessOf<R>
  >;
}

function formOf(schema: JsonSchema | undefined): CanonicalForm {
  return (schema === undefined ? undefined : canonicalForm(schema)) ?? ((value) => value);
}

function bodyTaken({ body, isBodyOptional, takesStreamOf }: Route): TakesBody | undefined {
  if (takesStreamOf !== undefined) return { streamOf: takesStreamOf };
  if (body === undefined) return undefined;
  return isBodyOptional === true ? 'where sent' : true;
}

/** @throws Problem `validation_failed`, `unknown_field`, with everything that is wrong. */
function checkedBody<R extends Route>(
  { body: schema, isBodyOptional }: R,
  body: unknown,
  mistakes: FindMistakes = () => [],
): BodyOf<R> {
  if (schema === undefined || (body === undefined && isBodyOptional === true)) return undefined as BodyOf<R>;
  const errors = [...checkSchema(schema as JsonSchema, body), ...mistakes(body)];
  if (errors.length > 0) throw invalidBody(errors);
  return body as BodyOf<R>;
}

/** Gives a value that its schema allows with each text of a format in the one spelling of its value. */
type CanonicalForm = (value: unknown) => unknown;

/**
 * Handlers see one spelling of an id or a time, however it was sent, so none has a reader of its own. Undefined for a
 * schema in which nothing has a second spelling.
 */
export function canonicalForm(schema: JsonSchema): CanonicalForm | undefined {
  const { format, items, properties } = schema;
  const branches = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (branches !== undefined) return formOfBranches(branches);
  const described = describedFormat(format);
  if (described !== undefined) return (value) => (typeof value === 'string' ? (described.read(value) ?? value) : value);
  if (items !== undefined) return formOfElements(items as JsonSchema);
  return properties === undefined ? undefined : formOfMembers(properties as Readonly<Record<string, JsonSchema>>);
}

function formOfBranches(branches: readonly JsonSchema[]): CanonicalForm | undefined {
  const forms = branches.map(canonicalForm);
  if (forms.every((form) => form === undefined)) return undefined;
  return (value) => {
    const form = forms[branches.findIndex((branch) => checkSchema(branch, value).length === 0)];
    return form === undefined ? value : form(value);
  };
}

function formOfElements(items: JsonSchema): CanonicalForm | undefined {
  const form = canonicalForm(items);
  if (form === undefined) return undefined;
  return (value) => (Array.isArray(value) ? value.map((element) => form(element)) : value);
}

function formOfMembers(properties: Readonly<Record<string, JsonSchema>>): CanonicalForm | undefined {
  const forms = new Map<string, CanonicalForm>();
  for (const [name, shape] of Object.entries(properties)) {
    const form = canonicalForm(shape);
    if (form !== undefined) forms.set(name, form);
  }
  if (forms.size === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, forms.get(name)?.(member) ?? member]),
    );
  };
}
