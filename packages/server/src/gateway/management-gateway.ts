import type { IncomingMessage } from 'node:http';
import type { AuditActor } from '../audit/audit-entry.ts';
import { operatorActor } from '../audit/operator-log.ts';
import type { RefusalLog } from '../audit/refusal-log.ts';
import type { DecisionLog } from '../iam/port.ts';
import { clientWords, isDeployKey, lacksSecondFactor, type OperatorAccess, type OrgCaller } from '../identity/port.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { Lane } from '../lib/scheduling/fair-scheduler.ts';
import type { Metering } from '../metering/metering.ts';
import { answerOnce, type OnceServices } from './answer-once.ts';
import type { Gateway } from './app-gateway.ts';
import type { CallTrace } from './call-trace.ts';
import { withSites } from './console/console-gateway.ts';
import { type SecondFactorServices, secondFactorRoutes } from './handlers/management/account/second-factors.ts';
import { type AccountServices, accountRoutes } from './handlers/management/accounts.ts';
import { type AclServices, aclRoutes } from './handlers/management/acl/acl.ts';
import { type PolicyLabServices, policyLabRoutes } from './handlers/management/acl/policy-lab.ts';
import { type AlertWebhookServices, alertWebhookRoutes } from './handlers/management/alert-webhook.ts';
import { type AuditServices, auditRoutes } from './handlers/management/audit.ts';
import { type DeliveryServices, deliveryRoutes } from './handlers/management/automation/deliveries.ts';
import { type HookAdminServices, hookAdminRoutes } from './handlers/management/automation/hooks.ts';
import { type RunServices, runRoutes } from './handlers/management/automation/runs.ts';
import { type ScheduleServices, scheduleRoutes } from './handlers/management/automation/schedules.ts';
import { type SecretServices, secretRoutes } from './handlers/management/automation/secrets.ts';
import { type ConfigItemServices, configItemRoutes } from './handlers/management/config-items.ts';
import { type ConsoleServices, consoleRoutes } from './handlers/management/console.ts';
import { decisionRoutes } from './handlers/management/decisions.ts';
import { type DeployServices, deployRoutes } from './handlers/management/deploy.ts';
import { deployArchiveRoutes } from './handlers/management/deploy-archive.ts';
import { type DeployKeyServices, deployKeyRoutes } from './handlers/management/deploy-keys.ts';
import { type EntityServices, entityRoutes } from './handlers/management/entities.ts';
import { type ImpersonationServices, impersonationRoutes } from './handlers/management/impersonation.ts';
import { type InboxServices, inboxRoutes } from './handlers/management/inbox.ts';
import { type ObservabilityServices, observabilityRoutes } from './handlers/management/observability.ts';
import {
  type AppDocumentServices,
  appReferenceRoutes,
  type ManagementDocumentServices,
  managementDocumentRoutes,
} from './handlers/management/openapi.ts';
import { type BackupServices, backupRoutes } from './handlers/management/operator/backups.ts';
import { type PlatformDoctorServices, platformDoctorRoutes } from './handlers/management/operator/doctor.ts';
import { type PlatformErrorServices, platformErrorRoutes } from './handlers/management/operator/errors.ts';
import { type PlatformHealthServices, platformHealthRoutes } from './handlers/management/operator/health.ts';
import { type PlatformOrgServices, platformOrgRoutes } from './handlers/management/operator/orgs.ts';
import { orgRoutes } from './handlers/management/org.ts';
import { type OverviewServices, orgJobRoutes, overviewRoutes } from './handlers/management/overview.ts';
import { passwordRoutes } from './handlers/management/passwords.ts';
import { type AppUserServices, appUserRoutes } from './handlers/management/people/app-users.ts';
import { type PersonalDataServices, personalDataRoutes } from './handlers/management/people/personal-data.ts';
import {
  type WorkspaceInvitationServices,
  workspaceInvitationRoutes,
} from './handlers/management/people/workspace-invitations.ts';
import { type PlanServices, planRoutes } from './handlers/management/plans.ts';
import { metricsRoute, type PlatformServices, platformRoutes } from './handlers/management/platform.ts';
import { type ServiceKeyServices, serviceKeyRoutes } from './handlers/management/service-keys.ts';
import { type MailServices, mailRoutes } from './handlers/management/settings/mails.ts';
import { type ProviderServices, providerRoutes } from './handlers/management/settings/providers.ts';
import {
  type WorkspaceTemplateServices,
  workspaceTemplateRoutes,
} from './handlers/management/settings/workspace-templates.ts';
import { type SettingServices, settingRoutes } from './handlers/management/settings.ts';
import { type SuspendedAccountServices, suspendedAccountRoutes } from './handlers/management/suspended-accounts.ts';
import { type UsageExportServices, usageExportRoutes } from './handlers/management/usage-export.ts';
import { type OrgWorkspaceServices, orgWorkspaceRoutes } from './handlers/management/workspaces.ts';
import { type Operations, sharedRoutes } from './handlers/shared.ts';
import { readTarget } from './pipeline/canonical-path.ts';
import { isCookieCall, readSession } from './pipeline/headers/console-cookie.ts';
import { orgMismatch } from './pipeline/headers/expected-org.ts';
import { conditional } from './pipeline/headers/preconditions.ts';
import { readBearerToken } from './pipeline/headers/read-token.ts';
import { readRequest } from './pipeline/read-request.ts';
import { withTimeSlice } from './pipeline/time-slice.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Reply } from './reply.ts';
import type { GatewayRequest } from './request.ts';
import {
  builderAsDeployer,
  type DeployCaller,
  deployAccess,
  isDeployAccess,
  keyAsDeployer,
} from './routing/deploy-caller.ts';
import type { DeployRoute, ManagementRoute, OrgRoute } from './routing/management-route.ts';
import { recordRefusals } from './routing/record-refusals.ts';
import { createRouter } from './routing/router.ts';
import type { ConsoleSource, DocsSource } from './site-source.ts';

export interface ManagementGatewayDeps
  extends Operations,
    OnceServices,
    AccountServices,
    AclServices,
    AlertWebhookServices,
    AuditServices,
    BackupServices,
    DeliveryServices,
    DeployServices,
    DeployKeyServices,
    EntityServices,
    AppDocumentServices,
    ManagementDocumentServices,
    ConfigItemServices,
    ConsoleServices,
    SettingServices,
    MailServices,
    RunServices,
    ScheduleServices,
    HookAdminServices,
    SecondFactorServices,
    SecretServices,
    ServiceKeyServices,
    AppUserServices,
    SuspendedAccountServices,
    PersonalDataServices,
    ImpersonationServices,
    OrgWorkspaceServices,
    WorkspaceInvitationServices,
    WorkspaceTemplateServices,
    OverviewServices,
    InboxServices,
    ObservabilityServices,
    UsageExportServices,
    PlanServices,
    PlatformServices,
    PlatformDoctorServices,
    PlatformErrorServices,
    PlatformHealthServices,
    PlatformOrgServices,
    PolicyLabServices,
    ProviderServices {
  readonly metering: Pick<
    Metering,
    'plans' | 'alertPercents' | 'report' | 'caps' | 'parts' | 'today' | 'month' | 'usage'
  >;
  readonly decisions: DecisionLog;
  /** Undefined where there is no operator key, and so no route for it. */
  readonly operator: OperatorAccess | undefined;
  readonly refusals: RefusalLog;
  readonly rateLimits: RateLimits;
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

/** The management gateway: canonical path, route, authenticate, role, body, handler, in this order. */
export function createManagementGateway(deps: ManagementGatewayDeps): Gateway {
  const { operator } = deps;
  const routes = managementRoutes(deps);
  const router = createRouter(operator === undefined ? routes.filter(({ access }) => access !== 'operator') : routes);
  const answer = async (incoming: IncomingMessage, trace: CallTrace): Promise<Reply> => {
    const { path, query } = readTarget(incoming.url ?? '/');
    const { route, params } = router.match(incoming.method ?? '', path);
    trace.route = route.path;
    trace.compressed = route.compressed;
    const matched = { route, params, query, requestId: trace.requestId, ip: deps.clientAddress(incoming) };
    if (route.access === 'public') return route.handle(await readRequest(incoming, matched));
    if (route.access === 'operator') {
      if (operator === undefined) throw notFound();
      operator.admit(readBearerToken(incoming), matched.ip);
      const auditedCall = { ...matched, route, actor: operatorActor };
      const scopes = () => deps.onceScopes.ofBuilder(undefined);
      return recordRefusals(deps.refusals, auditedCall, async () => {
        const request = await readRequest(incoming, matched);
        return answerOnce(deps, { route, request, principal: 'operator', scopes }, () => route.handle(request));
      });
    }
    const known = isDeployRoute(route)
      ? await deployerOf(deps, incoming, route)
      : await builderOf(deps, incoming, route);
    const { org, actor } = known;
    traceCaller(trace, { org, id: actor.id });
    deps.rateLimits.take(trace);
    const mismatch = orgMismatch(incoming, org.code);
    const work = async () => {
      const refusal = mismatch ?? known.refusal;
      if (refusal !== undefined) throw refusal;
      const request = await readRequest(incoming, matched);
      const scopes = () => deps.onceScopes.ofBuilder(org.code);
      return answerOnce(deps, { route, request, principal: actor.id, scopes }, () => known.handle(request));
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

/** Every route of the management gateway, in one table. */
export function managementRoutes(deps: ManagementGatewayDeps): readonly ManagementRoute[] {
  return [
    ...accountRoutes(deps),
    ...passwordRoutes(deps),
    ...secondFactorRoutes(deps),
    ...orgRoutes(deps),
    ...entityRoutes(deps),
    ...appReferenceRoutes(deps),
    ...configItemRoutes(deps),
    ...observabilityRoutes(deps),
    ...usageExportRoutes(deps),
    ...alertWebhookRoutes(deps),
    ...decisionRoutes(deps.decisions),
    ...aclRoutes(deps),
    ...policyLabRoutes(deps),
    ...settingRoutes(deps),
    ...mailRoutes(deps),
    ...providerRoutes(deps),
    ...deployRoutes(deps),
    ...deployArchiveRoutes(deps),
    ...deployKeyRoutes(deps),
    ...runRoutes(deps),
    ...scheduleRoutes(deps),
    ...hookAdminRoutes(deps),
    ...deliveryRoutes(deps),
    ...secretRoutes(deps),
    ...serviceKeyRoutes(deps),
    ...appUserRoutes(deps),
    ...suspendedAccountRoutes(deps),
    ...personalDataRoutes(deps),
    ...impersonationRoutes(deps),
    ...orgWorkspaceRoutes(deps),
    ...workspaceInvitationRoutes(deps),
    ...workspaceTemplateRoutes(deps),
    ...overviewRoutes(deps),
    ...orgJobRoutes(deps),
    ...inboxRoutes(deps),
    ...consoleRoutes(deps),
    ...auditRoutes(deps),
    ...platformRoutes(deps),
    ...backupRoutes(deps),
    metricsRoute(deps),
    ...planRoutes(deps),
    ...platformOrgRoutes(deps),
    ...platformErrorRoutes(deps),
    ...platformHealthRoutes(deps),
    ...platformDoctorRoutes(deps),
    ...managementDocumentRoutes(deps),
    ...sharedRoutes(deps, () => deps.docs.current().is !== 'off'),
  ];
}

async function authenticate({ accounts, site }: AccountServices, incoming: IncomingMessage): Promise<OrgCaller> {
  const client = clientWords(incoming.headers['user-agent']);
  const caller = await accounts.authenticate(readSession(site, incoming), client);
  if (caller === undefined) throw new Problem('token_invalid', 'the token is not valid');
  return caller;
}

function isDeployRoute(route: ManagementRoute): route is DeployRoute {
  return isDeployAccess(route.access);
}

/** A caller of an org, and what the route does for him. */
interface KnownOrgCaller extends Pick<OrgCaller, 'org'> {
  readonly actor: AuditActor;
  /** Why the caller may not do what is asked for. */
  readonly refusal: Problem | undefined;
  readonly handle: (request: GatewayRequest) => Reply | Promise<Reply>;
}

async function builderOf(
  deps: ManagementGatewayDeps,
  incoming: IncomingMessage,
  route: OrgRoute,
): Promise<KnownOrgCaller> {
  const caller = await authenticate(deps, incoming);
  const { actor, org } = builderAsDeployer(caller);
  const refusal =
    route.takesUnprotected === true ? refusalOf(route.access, caller) : fullRefusalOf(route.access, caller);
  return { org, actor, refusal, handle: (request) => route.handle(request, caller) };
}

/** A builder by his session, or a pipeline by its key, which no browser has to send along: a cookie is none. */
async function deployerOf(
  deps: ManagementGatewayDeps,
  incoming: IncomingMessage,
  route: DeployRoute,
): Promise<KnownOrgCaller> {
  const { role, scopes } = deployAccess[route.access];
  const known = (deployer: DeployCaller, refusal: Problem | undefined): KnownOrgCaller => {
    const { org, actor } = deployer;
    return { org, actor, refusal, handle: (request) => route.handle(request, deployer) };
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
