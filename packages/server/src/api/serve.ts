/** Puts a handler behind the description of its route: what comes to the handler fits it, and the reply follows from it. */
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '@freehold/contract/route';
import { type CanonicalForm, canonicalForm } from '../lib/canonical-form.ts';
import { checkSchema } from '../lib/check-schema.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { invalidBody } from '../lib/problem.ts';
import { readDescribedQuery } from './described-query.ts';
import { assertMayAsk, shownBy } from './production-values.ts';
import { json, type Reply } from './reply.ts';
import type { GatewayRequest, RequestEnvelope, TakesBody } from './request.ts';
import type { Access, Callers, ServedRoute } from './route.ts';

/** A request as it comes to the handler of a described route. */
export interface Received<R extends Route> extends RequestEnvelope {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

type AccessOf<R extends Route> = Extract<R['access'], Access>;

type Handle<R extends Route, A> = (request: Received<R>, caller: Callers[AccessOf<R>]) => A;

/** What a handler gives back. One whose reply has no body may wait for what it does, and gives nothing. */
type Answer<R extends Route> = MaybePromise<ReplyOf<R>> | (undefined extends ReplyOf<R> ? Promise<void> : never);

/** What the contract does not say of a route. */
interface Beside extends Pick<ServedRoute, 'readTexts'> {
  /** What is wrong with the members of a body together, of any kind: reported with the mistakes of its schema. */
  readonly mistakes?: Mistakes;
}

type Mistakes = (body: unknown) => readonly InputError[];

/** The handler gives what the reply holds; nothing where it has no body. */
export function serve<R extends Route>(route: R, handle: Handle<R, Answer<R>>, beside: Beside = {}) {
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
  beside: Beside = {},
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
  { mistakes, ...beside }: Beside,
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
  const said = Object.fromEntries(Object.entries({ ...flags, takesBody }).filter(([, value]) => value !== undefined));
  return { method, path, access, ...said, ...beside, route, handle: handleChecked } as unknown as ServedRoute<
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
  mistakes: Mistakes = () => [],
): BodyOf<R> {
  if (schema === undefined || (body === undefined && isBodyOptional === true)) return undefined as BodyOf<R>;
  const errors = [...checkSchema(schema as JsonSchema, body), ...mistakes(body)];
  if (errors.length > 0) throw invalidBody(errors);
  return body as BodyOf<R>;
}
