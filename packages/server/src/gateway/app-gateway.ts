import type { IncomingMessage } from 'node:http';
import { runAction, type Verb, verbs } from '../access/port.ts';
import { readTarget } from '../api/canonical-path.ts';
import { readClientId } from '../api/headers/client-id.ts';
import { conditional } from '../api/headers/preconditions.ts';
import { readAppToken } from '../api/headers/read-token.ts';
import type { Reply } from '../api/reply.ts';
import type { GatewayRequest, RequestEnvelope } from '../api/request.ts';
import { type AnyRoute, bodyAsRead, type RouteOf, type ServedRoute } from '../api/route.ts';
import { createRouter } from '../api/router.ts';
import {
  type AuthorizeDeps,
  actorOf,
  authorize,
  authorizeAction,
  CallDecisions,
  type CallRecorder,
  mayRun,
  requestAlone,
} from '../authorize/port.ts';
import type { BlockCaller } from '../automation/port.ts';
import type { Clock } from '../lib/clock.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { networkKey } from '../lib/network/network-key.ts';
import { Problem } from '../lib/problem.ts';
import { scheduler } from '../lib/scheduling/event-loop.ts';
import type { ShareKey } from '../lib/scheduling/fair-scheduler.ts';
import type { MeteredWorkspace } from '../metering/call-meter.ts';
import type { Metering } from '../metering/metering.ts';
import { type AppCaller, environmentOfClient, type People, requireWorkspace, workUserOf } from '../people/port.ts';
import { authorizeBody, type EachCaller, keyHolderOf } from '../records/port.ts';
import { workspaceSuspended } from '../tenancy/port.ts';
import { type WorkspaceAction, workspaceActions } from '../workspaces/port.ts';
import { type IdempotentCall, idempotent, type OnceServices } from './answer-once.ts';
import type { CallTrace } from './call-trace.ts';
import type { ClientAddress } from './client-address.ts';
import type { ErrorReplies } from './error-reply.ts';
import { type ManagementOrigin, withCors } from './pipeline/cors.ts';
import { type MatchedRequest, readRequest } from './pipeline/read-request.ts';
import { acquireSlice, withTimeSlice } from './pipeline/time-slice.ts';
import type { RateLimits } from './rate-limits.ts';

/** The operations of a gateway on one request. `errors` is for what fails in an answer that does not fail. */
export type Gateway = (incoming: IncomingMessage, trace: CallTrace, errors: ErrorReplies) => Promise<Reply>;

interface AppGatewayDeps extends OnceServices, AuthorizeDeps {
  readonly routes: readonly AnyRoute[];
  readonly sessions: People['app']['sessions'];
  readonly clientAddress: ClientAddress;
  readonly origins: People['origins'];
  readonly managementOrigin: Pick<ManagementOrigin, 'is'>;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly metering: Pick<Metering, 'meter' | 'gate'>;
  /** Of the decisions about calls. */
  readonly recorder: CallRecorder;
}

/** The app gateway: who may read the reply, canonical path, route, authenticate, authorize, body, handler, in this order. */
export function createAppGateway(parts: AppGatewayDeps): Gateway {
  const router = createRouter(parts.routes);
  return (incoming, trace, errors) =>
    withCors(parts, { incoming, errors, trace }, async () => {
      const { path, query } = readTarget(incoming.url ?? '/');
      const { route, params } = router.match(incoming.method ?? '', path);
      trace.route = route.path;
      trace.compressed = route.compressed;
      const matched = { route, params, query, requestId: trace.requestId, ip: parts.clientAddress(incoming) };
      if (route.access === 'public') return answerAnyone(parts, { incoming, route, matched, trace });
      const authenticated = parts.sessions.authenticate(readAppToken(incoming), params.org ?? '');
      const caller = authenticated instanceof Promise ? await authenticated : authenticated;
      if (caller.claims.org !== params.org) throw new Problem('token_invalid', 'the token belongs to another app');
      trace.org = caller.claims.org;
      trace.env = caller.claims.env;
      trace.principal = caller.claims.sub;
      trace.builder = caller.claims.act?.sub;
      parts.rateLimits.take(trace);
      const turn = acquireSlice(incoming, trace, shareKeyOf(caller));
      if (turn !== undefined) await turn;
      const recording = isQuestion(route) ? undefined : new CallDecisions(parts.recorder);
      try {
        rejectImpersonation(route, caller);
        const request = { incoming, route, matched, path, errors, recording };
        return conditional(incoming, await answerCaller(parts, caller, request));
      } finally {
        recording?.note();
        // Whatever the answer, it counts for the org: its limits are checked against the calls answered before.
        parts.metering.meter.count(meteredWorkspace(caller));
        scheduler.leave(trace);
      }
    });
}

/** Whether a route only asks what a call would be answered, without making it. */
function isQuestion({ path }: AnyRoute): boolean {
  return path.startsWith('/app/:org/access/');
}

interface PublicRequest extends Pick<CallerRequest, 'incoming' | 'matched'> {
  readonly route: ServedRoute<'public'>;
  readonly trace: CallTrace;
}

/** Requests to the platform rather than an org, such as whether it is ready, do not wait. */
function answerAnyone(parts: AppGatewayDeps, request: PublicRequest): Promise<Reply> {
  const { incoming, matched, trace } = request;
  const work = () => answerPublic(parts, request);
  if (matched.params.org === undefined) return work();
  // The path is the caller's choice, but not where he comes from.
  return withTimeSlice(incoming, trace, { shareKey: { org: nobodys, workspace: networkKey(matched.ip) }, work });
}

async function answerPublic(parts: AppGatewayDeps, request: PublicRequest): Promise<Reply> {
  const { incoming, route, matched, trace } = request;
  trace.env = environmentOfClient(readClientId(incoming));
  const reply = conditional(incoming, await route.handle(await readRequest(incoming, matched), undefined));
  if (route.isMetered === true && trace.env !== undefined)
    parts.metering.meter.count({ orgCode: matched.params.org ?? '', env: trace.env, tenantCode: '' });
  return reply;
}

/**
 * Not a code of an org: callers without a token share the quota of one org, so that they cannot use up another org's
 * quota.
 */
const nobodys = '';

function shareKeyOf({ claims }: AppCaller): ShareKey {
  return { org: claims.org, workspace: claims.tenant_id ?? '' };
}

function meteredWorkspace({ claims }: AppCaller): MeteredWorkspace {
  return { orgCode: claims.org, env: claims.env, tenantCode: claims.tenant_code ?? '' };
}

/** The plan is looked at before a body is read that nothing would come of. @throws Problem `plan_limit_exceeded`. */
function enter({ metering }: AppGatewayDeps, orgCode: string, request: CallerRequest): MaybePromise<GatewayRequest> {
  const { incoming, matched } = request;
  if (!isGated(request)) return readRequest(incoming, matched);
  return andThen(metering.gate.check(orgCode), () => readRequest(incoming, matched));
}

/** A request that may be one sent again is let in: what it asks for may have been done, and is gated when it is not. */
function isGated({ route, incoming }: CallerRequest): boolean {
  if (route.access === 'each' || route.access === 'run' || route.isGated !== true) return false;
  return route.access !== 'create' || incoming.headers['idempotency-key'] === undefined;
}

interface CallerRequest {
  readonly incoming: IncomingMessage;
  readonly route: Exclude<AnyRoute, { readonly access: 'public' }>;
  readonly matched: MatchedRequest;
  readonly path: string;
  readonly errors: ErrorReplies;
  readonly recording: CallDecisions | undefined;
}

function answerCaller(parts: AppGatewayDeps, caller: AppCaller, request: CallerRequest): MaybePromise<Reply> {
  const { incoming, route, matched, path, errors, recording } = request;
  const { requestId, params, ip } = matched;
  const requester = { caller, requestId, ip, origin: incoming.headers.origin, time: parts.clock.now(), recording };
  const { org } = caller.claims;
  const once = (entered: GatewayRequest, handle: () => MaybePromise<Reply>): MaybePromise<Reply> =>
    idempotent(parts, idempotentCallOf(parts, caller, { route, request: entered }), handle);
  if (route.access === 'self')
    return andThen(enter(parts, org, request), (entered) => once(entered, () => route.handle(entered, caller)));
  const each = (by = caller): EachCaller => {
    // The policies of a block itself reveal nothing about its caller.
    const requesterBy = { ...requester, caller: by, recording: by === caller ? recording : recording?.ofBlock() };
    return {
      workspace: requireWorkspace(caller).workspace,
      actor: actorOf(requester),
      authorize: async (alone) => authorize(parts, requesterBy, requestAlone(alone)),
      mayRun: (alone) => mayRun(parts, requesterBy, alone),
      refusal: (error) => errors.reply(error, requestId),
    };
  };
  if (route.access === 'each') {
    const eachCaller = each();
    return andThen(enter(parts, org, request), (entered) => route.handle(entered, eachCaller));
  }
  const { method, takesBody = false } = route;
  const resource = path.slice('/app/'.length + org.length);
  const sent = { method, resource, params, query: matched.query, takesBody: takesBody !== false };
  if (isWorkspaceRoute(route))
    return andThen(
      authorizeAction(parts, requester, { action: route.access, ...sent }),
      ({ context, assertBodyAllowed }) =>
        andThen(enter(parts, org, request), (entered) => {
          assertBodyAllowed(bodyAsRead(route, entered.body));
          return once(entered, () => route.handle(entered, context));
        }),
    );
  if (route.access === 'run')
    return andThen(
      authorizeAction(parts, requester, { action: runAction(params), ...sent }),
      ({ context: { config }, assertBodyAllowed }) =>
        andThen(enter(parts, org, request), (entered) => {
          assertBodyAllowed(entered.body);
          const { sub: id, email } = caller.claims;
          const who = workUserOf(caller);
          const blockCaller = (by: AppCaller): EachCaller & BlockCaller => ({
            ...each(by),
            user: { id, email },
            entity: async (name) => config.entity(name),
            asApp: (access) => blockCaller({ ...caller, place: { ...requireWorkspace(caller), access } }),
          });
          return once(entered, () => route.handle(entered, { ...blockCaller(caller), who, config }));
        }),
    );
  if (!isRecordRoute(route)) throw new TypeError(`${route.path} is no route of an app`);
  const [verb, entityName] = [route.access, params.entity ?? ''];
  return andThen(authorize(parts, requester, { action: verb + entityName, verb, entityName, ...sent }), (call) =>
    andThen(enter(parts, org, request), (entered) => route.handle(entered, authorizeBody(call, entered.body))),
  );
}

function idempotentCallOf(
  { onceScopes }: OnceServices,
  caller: AppCaller,
  { route, request }: Pick<IdempotentCall, 'route' | 'request'>,
): IdempotentCall {
  const { sub, act, env, org, tenant_code: tenantCode } = caller.claims;
  const principal = keyHolderOf(sub, act);
  return { route, request, principal, scopes: () => onceScopes.ofAppUser({ env, org, tenantCode }) };
}

/** Whether a caller may do something else at this moment, decided as the call `PUT /user/workspace`. */
export function createMayAct(
  deps: AuthorizeDeps & { readonly clock: Clock },
): (caller: AppCaller, request: RequestEnvelope, action: 'updateworkspace') => Promise<boolean> {
  return async (caller, { requestId, ip, head }, action) => {
    const requester = { caller, requestId, ip, origin: head.headers.origin, time: deps.clock.now() };
    const put = { method: 'PUT', resource: '/user/workspace', params: {}, query: '', takesBody: false };
    try {
      await authorizeAction(deps, requester, { action, ...put });
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'access_denied') return false;
      throw error;
    }
  };
}

/**
 * Holds callers who are not the person that a route takes them for: a server with a key, a builder in his own name, and
 * a builder who acts for a person (`act`). INVARIANT: every route that changes anything takes another method than GET.
 * @throws Problem `access_denied`, `prod_read_only`; `workspace_suspended` for a builder who would write there.
 */
export function rejectImpersonation(route: AnyRoute, { kind, claims, place }: AppCaller): void {
  const isAboutPerson = route.access === 'self' && route.takesAnyone !== true;
  if (kind !== 'person' && isAboutPerson)
    throw new Problem('access_denied', `${noPerson[kind]} is not a user of the app`);
  if (kind === 'builder' && route.access === 'createinvitation')
    throw new Problem('access_denied', 'only a member of the workspace can invite others');
  if (claims.act === undefined || isRead(route)) return;
  if (claims.env === 'prod')
    throw new Problem('prod_read_only', 'production is read-only for a builder who impersonates a user');
  if (place?.isSuspended === true) throw workspaceSuspended();
  if (route.access === 'self')
    throw new Problem('access_denied', 'a builder who impersonates a user cannot change that user’s account');
}

function isRead(route: AnyRoute): boolean {
  return route.method === 'GET' || (route.access === 'each' && route.isRead === true);
}

const noPerson = { service_key: 'a service key', builder: 'a builder', app: 'the app itself' } as const;

/** About records: decided by the caller's policies before the handler is asked. */
function isRecordRoute(route: AnyRoute): route is RouteOf<Verb> {
  return verbs.some((verb) => verb === route.access);
}

/** About the workspace itself: what a policy has to allow is no verb on an entity. */
function isWorkspaceRoute(route: AnyRoute): route is RouteOf<WorkspaceAction> {
  return workspaceActions.some((action) => action === route.access);
}
