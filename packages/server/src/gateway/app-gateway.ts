import type { IncomingMessage } from 'node:http';
import { readTarget } from '../api/canonical-path.ts';
import { readClientId } from '../api/headers/client-id.ts';
import { conditional } from '../api/headers/preconditions.ts';
import { readAppToken } from '../api/headers/read-token.ts';
import type { Reply } from '../api/reply.ts';
import type { GatewayRequest } from '../api/request.ts';
import { type AnyRoute, bodyAsRead, type ServedRoute } from '../api/route.ts';
import { createRouter } from '../api/router.ts';
import type { BlockCaller } from '../automation/port.ts';
import { runAction } from '../iam/port.ts';
import {
  type AppCaller,
  type AppOrigins,
  type AppSessions,
  environmentOfClient,
  requireWorkspace,
  workUserOf,
} from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { networkKey } from '../lib/network/network-key.ts';
import { Problem } from '../lib/problem.ts';
import { scheduler } from '../lib/scheduling/event-loop.ts';
import type { Lane } from '../lib/scheduling/fair-scheduler.ts';
import type { MeteredWorkspace } from '../metering/call-meter.ts';
import type { Metering } from '../metering/metering.ts';
import { authorizeBody, type EachCaller, keyHolderOf } from '../records/port.ts';
import { answerOnce, type OnceAsked, type OnceServices } from './answer-once.ts';
import type { CallTrace } from './call-trace.ts';
import type { ClientAddress } from './client-address.ts';
import type { ErrorReplies } from './error-reply.ts';
import type { ManagementOrigin } from './management-origin.ts';
import { type AuthorizeDeps, actorOf, authorize, authorizeAction, requestAlone } from './pipeline/authorize.ts';
import { withCors } from './pipeline/headers/cors.ts';
import { mayRun } from './pipeline/may-run.ts';
import { CallDecisions, type CallRecorder } from './pipeline/observed-decisions.ts';
import { type MatchedRequest, readRequest } from './pipeline/read-request.ts';
import { rejectImpersonation } from './pipeline/reject-impersonation.ts';
import { acquireSlice, withTimeSlice } from './pipeline/time-slice.ts';
import type { RateLimits } from './rate-limits.ts';
import { isRecordRoute, isWorkspaceRoute } from './routing/route-kinds.ts';

/** What a gateway does with one request. `errors` is for what fails in an answer that does not fail. */
export type Gateway = (incoming: IncomingMessage, trace: CallTrace, errors: ErrorReplies) => Promise<Reply>;

export interface AppGatewayDeps extends OnceServices, AuthorizeDeps {
  readonly routes: readonly AnyRoute[];
  readonly sessions: AppSessions;
  readonly clientAddress: ClientAddress;
  readonly origins: AppOrigins;
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
      const turn = acquireSlice(incoming, trace, laneOf(caller));
      if (turn !== undefined) await turn;
      const observed = isQuestion(route) ? undefined : new CallDecisions(parts.recorder);
      try {
        rejectImpersonation(route, caller);
        const request = { incoming, route, matched, path, errors, observed };
        return conditional(incoming, await answerCaller(parts, caller, request));
      } finally {
        observed?.note();
        // Whatever the answer, it counts for the org: its limits are checked against the calls answered before.
        parts.metering.meter.count(meteredWorkspace(caller));
        scheduler.leave(trace);
      }
    });
}

/** Who asks what a call would be answered does not make it. */
function isQuestion({ path }: AnyRoute): boolean {
  return path.startsWith('/app/:org/access/');
}

interface PublicRequest extends Pick<CallerRequest, 'incoming' | 'matched'> {
  readonly route: ServedRoute<'public'>;
  readonly trace: CallTrace;
}

/** What is asked of the platform and not of an org, such as whether it is ready, does not wait. */
function answerAnyone(parts: AppGatewayDeps, request: PublicRequest): Promise<Reply> {
  const { incoming, matched, trace } = request;
  const work = () => answerPublic(parts, request);
  if (matched.params.org === undefined) return work();
  // The path is the caller's choice, but not where he comes from.
  return withTimeSlice(incoming, trace, { lane: { org: nobodys, workspace: networkKey(matched.ip) }, work });
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

function laneOf({ claims }: AppCaller): Lane {
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
  readonly observed: CallDecisions | undefined;
}

function answerCaller(parts: AppGatewayDeps, caller: AppCaller, request: CallerRequest): MaybePromise<Reply> {
  const { incoming, route, matched, path, errors, observed } = request;
  const { requestId, params, ip } = matched;
  const asking = { caller, requestId, ip, origin: incoming.headers.origin, time: parts.clock.now(), observed };
  const { org } = caller.claims;
  const once = (entered: GatewayRequest, handle: () => MaybePromise<Reply>): MaybePromise<Reply> =>
    answerOnce(parts, onceAsked(parts, caller, { route, request: entered }), handle);
  if (route.access === 'self')
    return andThen(enter(parts, org, request), (entered) => once(entered, () => route.handle(entered, caller)));
  const each = (by = caller): EachCaller => {
    // What a block may by policies of its own says nothing of its caller.
    const askingBy = { ...asking, caller: by, observed: by === caller ? observed : observed?.ofBlock() };
    return {
      workspace: requireWorkspace(caller).workspace,
      actor: actorOf(asking),
      authorize: async (alone) => authorize(parts, askingBy, requestAlone(alone)),
      mayRun: (alone) => mayRun(parts, askingBy, alone),
      refusal: (error) => errors.reply(error, requestId),
    };
  };
  if (route.access === 'each') {
    const eachCaller = each();
    return andThen(enter(parts, org, request), (entered) => route.handle(entered, eachCaller));
  }
  const { method, takesBody = false } = route;
  const resource = path.slice('/app/'.length + org.length);
  const asked = { method, resource, params, query: matched.query, takesBody: takesBody !== false };
  if (isWorkspaceRoute(route))
    return andThen(
      authorizeAction(parts, asking, { action: route.access, ...asked }),
      ({ context, assertBodyAllowed }) =>
        andThen(enter(parts, org, request), (entered) => {
          assertBodyAllowed(bodyAsRead(route, entered.body));
          return once(entered, () => route.handle(entered, context));
        }),
    );
  if (route.access === 'run')
    return andThen(
      authorizeAction(parts, asking, { action: runAction(params), ...asked }),
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
  const verb = { verb: route.access, entityName: params.entity ?? '' };
  return andThen(authorize(parts, asking, { ...verb, ...asked }), (call) =>
    andThen(enter(parts, org, request), (entered) => route.handle(entered, authorizeBody(call, entered.body))),
  );
}

function onceAsked(
  { onceScopes }: OnceServices,
  caller: AppCaller,
  { route, request }: Pick<OnceAsked, 'route' | 'request'>,
): OnceAsked {
  const { sub, act, env, org, tenant_code: tenantCode } = caller.claims;
  const principal = keyHolderOf(sub, act);
  return { route, request, principal, scopes: () => onceScopes.ofAppUser({ env, org, tenantCode }) };
}
