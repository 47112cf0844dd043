import type { IncomingMessage } from 'node:http';
import { readTarget } from '../api/canonical-path.ts';
import { type ConsoleSite, isCookieCall, readSession } from '../api/headers/console-cookie.ts';
import { conditional } from '../api/headers/preconditions.ts';
import { readBearerToken } from '../api/headers/read-token.ts';
import type { Reply } from '../api/reply.ts';
import type { GatewayRequest } from '../api/request.ts';
import type { AnyRoute, RouteOf } from '../api/route.ts';
import { createRouter } from '../api/router.ts';
import type { AuditActor } from '../audit/audit-entry.ts';
import { operatorActor, type RefusalLog } from '../audit/operator-log.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { ShareKey } from '../lib/scheduling/fair-scheduler.ts';
import {
  builderAsDeployer,
  clientWords,
  type DeployAccess,
  type DeployCaller,
  deployAccess,
  isDeployAccess,
  isDeployKey,
  keyAsDeployer,
  lacksSecondFactor,
  type OrgCaller,
  type OrgCommand,
  type People,
} from '../people/port.ts';
import { idempotent, type OnceServices } from './answer-once.ts';
import type { Gateway } from './app-gateway.ts';
import type { CallTrace } from './call-trace.ts';
import type { ClientAddress } from './client-address.ts';
import { readRequest } from './pipeline/read-request.ts';
import { withTimeSlice } from './pipeline/time-slice.ts';
import type { RateLimits } from './rate-limits.ts';
import { withSites } from './site/console.ts';
import type { ConsoleSource, DocsSource } from './site-files.ts';

type BuilderParts = People['management'];

interface ManagementGatewayDeps extends OnceServices {
  readonly routes: readonly AnyRoute[];
  readonly accounts: Pick<BuilderParts['accounts'], 'authenticate'>;
  readonly deployKeys: Pick<BuilderParts['deployKeys'], 'authenticate'>;
  /** Undefined where there is no operator key, and so no route for it. */
  readonly operator: BuilderParts['operator'];
  readonly refusals: RefusalLog;
  readonly clientAddress: ClientAddress;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly site: ConsoleSite;
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

/** The management gateway: canonical path, route, authenticate, role, body, handler, in this order. */
export function createManagementGateway(deps: ManagementGatewayDeps): Gateway {
  const { operator, routes } = deps;
  const router = createRouter(operator === undefined ? routes.filter(({ access }) => access !== 'operator') : routes);
  const answer = async (incoming: IncomingMessage, trace: CallTrace): Promise<Reply> => {
    const { path, query } = readTarget(incoming.url ?? '/');
    const { route, params } = router.match(incoming.method ?? '', path);
    trace.route = route.path;
    trace.compressed = route.compressed;
    const matched = { route, params, query, requestId: trace.requestId, ip: deps.clientAddress(incoming) };
    if (route.access === 'public') return route.handle(await readRequest(incoming, matched), undefined);
    if (route.access === 'operator') {
      if (operator === undefined) throw notFound();
      operator.admit(readBearerToken(incoming), matched.ip);
      const auditedCall = { ...matched, route, actor: operatorActor };
      const auditContext = { at: timestamp(deps.clock.now()), actor: operatorActor, request_id: matched.requestId };
      const scopes = () => deps.onceScopes.ofBuilder(undefined);
      return recordRefusals(deps.refusals, auditedCall, async () => {
        const request = await readRequest(incoming, matched);
        return idempotent(deps, { route, request, principal: 'operator', scopes }, () =>
          route.handle(request, { auditContext }),
        );
      });
    }
    const known = await callerOf(deps, incoming, route);
    const { org, actor } = known;
    traceCaller(trace, { org, id: actor.id });
    deps.rateLimits.take(trace);
    const mismatch = orgMismatch(incoming, org.code);
    const work = async () => {
      const refusal = mismatch ?? known.refusal;
      if (refusal !== undefined) throw refusal;
      const request = await readRequest(incoming, matched);
      const scopes = () => deps.onceScopes.ofBuilder(org.code);
      return idempotent(deps, { route, request, principal: actor.id, scopes }, () =>
        known.handle(request, {
          orgCode: org.code,
          auditContext: { at: timestamp(deps.clock.now()), actor, request_id: matched.requestId },
        }),
      );
    };
    const isWriteElsewhere = mismatch !== undefined && route.method !== 'GET';
    const auditedRoute = isWriteElsewhere ? { refusedAs: route.refusedAs ?? ('session.org_refused' as const) } : route;
    const auditedCall = { ...matched, route: auditedRoute, actor, orgCode: org.code };
    return withTimeSlice(incoming, trace, {
      shareKey: shareKeyOf(known),
      work: () => recordRefusals(deps.refusals, auditedCall, work),
    });
  };
  const api: Gateway = async (incoming, trace) => conditional(incoming, await answer(incoming, trace));
  return withSites(api, routes, deps);
}

/** The builders of an org share what it has with its workspaces, as one of these. */
function shareKeyOf({ org }: Pick<OrgCaller, 'org'>): ShareKey {
  return { org: org.code, workspace: 'builders' };
}

interface ResolvedCaller extends Pick<OrgCaller, 'org'> {
  readonly id: string;
}

function traceCaller(trace: CallTrace, { org, id }: ResolvedCaller): void {
  trace.org = org.code;
  trace.principal = id;
}

async function authenticate({ accounts, site }: ManagementGatewayDeps, incoming: IncomingMessage): Promise<OrgCaller> {
  const client = clientWords(incoming.headers['user-agent']);
  const caller = await accounts.authenticate(readSession(site, incoming), client);
  if (caller === undefined) throw new Problem('token_invalid', 'the token is not valid');
  return caller;
}

function callerOf(deps: ManagementGatewayDeps, incoming: IncomingMessage, route: AnyRoute): Promise<ResolvedOrgCaller> {
  if (isDeployRoute(route)) return deployerOf(deps, incoming, route);
  if (isBuilderRoute(route)) return builderOf(deps, incoming, route);
  throw new TypeError(`${route.path} is no route of builders`);
}

function isDeployRoute(route: AnyRoute): route is RouteOf<DeployAccess> {
  return isDeployAccess(route.access);
}

function isBuilderRoute(route: AnyRoute): route is RouteOf<'developer' | 'org_admin'> {
  return route.access === 'developer' || route.access === 'org_admin';
}

/** A caller of an org, and what the route does for him. */
interface ResolvedOrgCaller extends Pick<OrgCaller, 'org'> {
  readonly actor: AuditActor;
  /** Why the caller may not do what is asked for. */
  readonly refusal: Problem | undefined;
  readonly handle: (request: GatewayRequest, command: OrgCommand) => Reply | Promise<Reply>;
}

async function builderOf(
  deps: ManagementGatewayDeps,
  incoming: IncomingMessage,
  route: RouteOf<'developer' | 'org_admin'>,
): Promise<ResolvedOrgCaller> {
  const caller = await authenticate(deps, incoming);
  const { actor, org } = builderAsDeployer(caller);
  const refusal =
    route.takesUnprotected === true ? refusalOf(route.access, caller) : fullRefusalOf(route.access, caller);
  return { org, actor, refusal, handle: (request, command) => route.handle(request, { ...caller, command }) };
}

/** A builder by his session, or a pipeline by its key, which no browser has to send along: a cookie is none. */
async function deployerOf(
  deps: ManagementGatewayDeps,
  incoming: IncomingMessage,
  route: RouteOf<DeployAccess>,
): Promise<ResolvedOrgCaller> {
  const { role, scopes } = deployAccess[route.access];
  const known = (deployer: Omit<DeployCaller, 'command'>, refusal: Problem | undefined): ResolvedOrgCaller => {
    const { org, actor } = deployer;
    return { org, actor, refusal, handle: (request, command) => route.handle(request, { ...deployer, command }) };
  };
  const token = readSession(deps.site, incoming);
  if (isCookieCall(incoming) || !isDeployKey(token)) {
    const caller = await authenticate(deps, incoming);
    return known(builderAsDeployer(caller), fullRefusalOf(role, caller));
  }
  const key = await deps.deployKeys.authenticate(token);
  if (key === undefined) throw new Problem('token_invalid', 'the token is not valid');
  const refusal = scopes.some((scope) => scope === key.scope)
    ? undefined
    : new Problem('role_required', `a deploy key of the scope \`${key.scope}\` cannot call this route`);
  return known(keyAsDeployer(key), refusal);
}

/** A member without the second factor that the org requires may add one, and little else. */
function fullRefusalOf(needed: OrgCaller['role'], caller: OrgCaller): Problem | undefined {
  if (!lacksSecondFactor(caller)) return refusalOf(needed, caller);
  return new Problem(
    'second_factor_required',
    'this org requires a second factor: add one to your account, in the console or by `POST /auth/second-factors/totp`',
  );
}

function refusalOf(needed: OrgCaller['role'], { role }: Pick<OrgCaller, 'role'>): Problem | undefined {
  if (needed !== 'org_admin' || role === 'org_admin') return undefined;
  return new Problem('role_required', 'this needs the role `org_admin`');
}

/**
 * Why a call does nothing that names another org than its credentials belong to. A browser has one session for all of its
 * tabs, so a tab cannot know by itself that another one has switched the org.
 */
function orgMismatch({ headersDistinct }: IncomingMessage, orgCode: string): Problem | undefined {
  const expected = headersDistinct['x-org'];
  if (expected === undefined || (expected.length === 1 && expected[0] === orgCode)) return undefined;
  return new Problem('org_mismatch', `the session belongs to the org \`${orgCode}\`, and the call expects another`);
}

/** A known caller's call of a route. */
interface RefusedRequest {
  readonly route: { readonly refusedAs?: string };
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly actor: AuditActor;
  readonly orgCode?: string;
}

/**
 * Does what a route says, and tells the audit log of a refusal where the route tells of them. What the platform cannot do
 * at this moment is no refusal, and neither is a call too many.
 */
async function recordRefusals<Result>(
  log: RefusalLog,
  { route, params, requestId, actor, orgCode }: RefusedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { refusedAs: action } = route;
    if (action === undefined || !(error instanceof Problem) || error.status >= 429) throw error;
    const id = params.id ?? params.name ?? params.kid ?? params.org ?? params.env;
    const target = id === undefined || !plainId.test(id) ? {} : { target: { kind: action.split('.')[0] ?? '', id } };
    const org = orgCode === undefined ? {} : { orgCode };
    await log.record({ requestId, actor, ...org, action, ...target, problem: error });
    throw error;
  }
}

const plainId = /^[\w.-]{1,64}$/;
