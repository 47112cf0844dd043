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
import { operatorActor } from '../audit/operator-log.ts';
import type { RefusalLog } from '../audit/refusal-log.ts';
import {
  builderAsDeployer,
  clientWords,
  type DeployAccess,
  type DeployCaller,
  type DeployKeys,
  deployAccess,
  isDeployAccess,
  isDeployKey,
  keyAsDeployer,
  lacksSecondFactor,
  type OperatorAccess,
  type OrgAccounts,
  type OrgCaller,
  type OrgCommand,
} from '../identity/port.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { Lane } from '../lib/scheduling/fair-scheduler.ts';
import { answerOnce, type OnceServices } from './answer-once.ts';
import type { Gateway } from './app-gateway.ts';
import type { CallTrace } from './call-trace.ts';
import type { ClientAddress } from './client-address.ts';
import { withSites } from './console/console-gateway.ts';
import { orgMismatch } from './pipeline/headers/expected-org.ts';
import { readRequest } from './pipeline/read-request.ts';
import { withTimeSlice } from './pipeline/time-slice.ts';
import type { RateLimits } from './rate-limits.ts';
import { recordRefusals } from './routing/record-refusals.ts';
import type { ConsoleSource, DocsSource } from './site-source.ts';

export interface ManagementGatewayDeps extends OnceServices {
  readonly routes: readonly AnyRoute[];
  readonly accounts: Pick<OrgAccounts, 'authenticate'>;
  readonly deployKeys: Pick<DeployKeys, 'authenticate'>;
  /** Undefined where there is no operator key, and so no route for it. */
  readonly operator: OperatorAccess | undefined;
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
        return answerOnce(deps, { route, request, principal: 'operator', scopes }, () =>
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
      return answerOnce(deps, { route, request, principal: actor.id, scopes }, () =>
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
      lane: laneOf(known),
      work: () => recordRefusals(deps.refusals, auditedCall, work),
    });
  };
  const api: Gateway = async (incoming, trace) => conditional(incoming, await answer(incoming, trace));
  return withSites(api, routes, deps);
}

/** The builders of an org share what it has with its workspaces, as one of these. */
function laneOf({ org }: Pick<OrgCaller, 'org'>): Lane {
  return { org: org.code, workspace: 'builders' };
}

interface KnownCaller extends Pick<OrgCaller, 'org'> {
  readonly id: string;
}

function traceCaller(trace: CallTrace, { org, id }: KnownCaller): void {
  trace.org = org.code;
  trace.principal = id;
}

async function authenticate({ accounts, site }: ManagementGatewayDeps, incoming: IncomingMessage): Promise<OrgCaller> {
  const client = clientWords(incoming.headers['user-agent']);
  const caller = await accounts.authenticate(readSession(site, incoming), client);
  if (caller === undefined) throw new Problem('token_invalid', 'the token is not valid');
  return caller;
}

function callerOf(deps: ManagementGatewayDeps, incoming: IncomingMessage, route: AnyRoute): Promise<KnownOrgCaller> {
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
interface KnownOrgCaller extends Pick<OrgCaller, 'org'> {
  readonly actor: AuditActor;
  /** Why the caller may not do what is asked for. */
  readonly refusal: Problem | undefined;
  readonly handle: (request: GatewayRequest, command: OrgCommand) => Reply | Promise<Reply>;
}

async function builderOf(
  deps: ManagementGatewayDeps,
  incoming: IncomingMessage,
  route: RouteOf<'developer' | 'org_admin'>,
): Promise<KnownOrgCaller> {
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
): Promise<KnownOrgCaller> {
  const { role, scopes } = deployAccess[route.access];
  const known = (deployer: Omit<DeployCaller, 'command'>, refusal: Problem | undefined): KnownOrgCaller => {
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
