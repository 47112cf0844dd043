import { invitationsApi } from '@freehold/contract/app/invitations';
import { jobsApi } from '@freehold/contract/app/jobs';
import { workspacesApi } from '@freehold/contract/app/workspaces';
import { accountsApi } from '@freehold/contract/management/accounts';
import { deployApi } from '@freehold/contract/management/deploy';
import { appUsersApi } from '@freehold/contract/management/people/app-users';
import { workspaceInvitationsApi } from '@freehold/contract/management/people/workspace-invitations';
import { workspaceTemplatesApi } from '@freehold/contract/management/settings/workspace-templates';
import { orgWorkspacesApi } from '@freehold/contract/management/workspaces';
import { requireProd, requireTest } from '../api/environments.ts';
import { json, type Reply } from '../api/reply.ts';
import type { RequestEnvelope } from '../api/request.ts';
import type { AnyRoute, RoutesOfModule } from '../api/route.ts';
import { serve, serveReply } from '../api/serve.ts';
import { emailKey } from '../lib/formats/email-key.ts';
import { notFound } from '../lib/problem.ts';
import { type AppCaller, type BuilderCaller, requireWorkspace, shownEnvironments } from '../people/port.ts';
import type { LargeRemovals, RemovalJob } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { WorkspaceServices } from './workspace-services.ts';

type AppIdentity = WorkspaceServices['app'];
type ManagementIdentity = WorkspaceServices['management'];

export interface WorkspaceRouteDeps extends AppIdentity, ManagementIdentity {
  readonly removals: LargeRemovals;
  readonly metering: { readonly plans: { of(orgCode: string): Promise<{ readonly name: string }> } };
  /** Whether the caller's policies allow this action on the workspace. */
  readonly mayAct: (caller: AppCaller, request: RequestEnvelope, action: 'updateworkspace') => Promise<boolean>;
}

/** The workspaces of an app's users, as they and as builders see them. */
export function workspaceRoutes(deps: WorkspaceRouteDeps): RoutesOfModule {
  return {
    app: [...ownWorkspaceRoutes(deps), ...invitationRoutes(deps), ...jobRoutes(deps)],
    management: [
      ...productionRoutes(deps),
      ...orgWorkspaceRoutes(deps),
      ...workspaceInvitationRoutes(deps),
      ...workspaceTemplateRoutes(deps),
    ],
  };
}

/** The workspaces that a person is in, and the workspace of the token. */
function ownWorkspaceRoutes({ workspaces }: WorkspaceRouteDeps): readonly AnyRoute[] {
  return [
    serve(workspacesApi.readTenants, async (_request, { claims }) => {
      return { items: await workspaces.tenants(claims) };
    }),
    serve(workspacesApi.createWorkspace, ({ body, requestId }, { claims }) =>
      workspaces.create(claims, body, requestId),
    ),
    serve(workspacesApi.updateWorkspace, ({ body }, context) => workspaces.update(context, body), {
      readTexts: { name: (text) => text.trim() },
    }),
    serve(workspacesApi.deleteWorkspace, async ({ body }, context) => {
      await workspaces.remove(context, body);
    }),
    serve(workspacesApi.switchTenant, ({ body }, { claims }) => workspaces.switchTo(claims, body)),
    serve(workspacesApi.leaveWorkspace, async ({ body, requestId }, { claims }) => {
      await workspaces.leave(claims, body, requestId);
    }),
  ];
}

/** The way people are asked into the workspace of the token, and come in. */
function invitationRoutes({ invitations }: WorkspaceRouteDeps): readonly AnyRoute[] {
  return [
    serve(invitationsApi.createInvitation, ({ body }, context) => invitations.create(context, body), {
      readTexts: { email: emailKey },
    }),
    serve(invitationsApi.listInvitations, async (_request, context) => {
      const items = await invitations.list(context);
      // `list*` is given for the records of an app. Addresses are for those who may invite.
      return { items: context.allows('createinvitation') ? items : items.map(({ email: _, ...shown }) => shown) };
    }),
    serve(invitationsApi.deleteInvitation, async ({ params }, context) => {
      await invitations.remove(context, params.id);
    }),
    serve(invitationsApi.resendInvitation, ({ params }, context) => invitations.resend(context, params.id)),
    serve(invitationsApi.readMyInvitations, async (_request, { claims }) => {
      return { items: await invitations.mine(claims) };
    }),
    serve(invitationsApi.acceptInvitation, ({ body, requestId }, { claims }) =>
      invitations.accept(claims, body, requestId),
    ),
  ];
}

/** The routes about work that goes on after a reply: for who started it, and for those who administer the workspace. */
function jobRoutes(services: WorkspaceRouteDeps): readonly AnyRoute[] {
  return [
    serve(jobsApi.readJob, (request, caller) => visibleJob(services, request, caller)),
    serve(jobsApi.cancelJob, async (request, caller) => {
      const { id } = await visibleJob(services, request, caller);
      return services.removals.cancel(requireWorkspace(caller).workspace, id);
    }),
  ];
}

type JobRequest = RequestEnvelope & { readonly params: { readonly id: string } };

/** @throws Problem `not_found` where there is no such job, and where it is not the caller's to see. */
async function visibleJob(services: WorkspaceRouteDeps, request: JobRequest, caller: AppCaller): Promise<RemovalJob> {
  const { workspace } = requireWorkspace(caller);
  const found = await services.removals.find(workspace, request.params.id);
  if (found === undefined) throw notFound();
  // A caller that may change the workspace administers it.
  if (found.user !== caller.claims.sub && !(await services.mayAct(caller, request, 'updateworkspace')))
    throw notFound();
  return found.job;
}

/** The org with its environments, and the creation of production. */
function productionRoutes(deps: WorkspaceRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(accountsApi.readOrg, (_request, caller) => shownOrg(deps, caller)),
    serve(deployApi.provisionProd, (request, caller) => {
      const founderEmail = request.body?.founder_email;
      return deps.production.provision({ ...caller.command, founderEmail, builderEmail: caller.user.email });
    }),
  ];
}

async function shownOrg({ metering, production }: WorkspaceRouteDeps, { org }: BuilderCaller): Promise<Reply> {
  const { name: plan } = await metering.plans.of(org.code);
  const security = { second_factor: org.second_factor ?? 'optional' };
  const { test, prod } = shownEnvironments(org);
  const awaited_founder = await production.awaitedFounder(org);
  const environments = { test, prod: prod && { ...prod, ...(awaited_founder && { awaited_founder }) } };
  return json(200, { code: org.code, name: org.name, plan, environments, security });
}

/** The workspaces of an org as builders see them, and the accounts that they make in one. */
function orgWorkspaceRoutes({ orgWorkspaces, createAppUser }: WorkspaceRouteDeps): readonly AnyRoute[] {
  return [
    serve(appUsersApi.createAppUser, (request, caller) => {
      const { env, ...wanted } = request.body;
      requireTest(env);
      return createAppUser({ ...caller.command, env, ip: request.ip }, wanted);
    }),
    serve(orgWorkspacesApi.listOrgWorkspaces, ({ query }, { org }) => {
      const { env, prefix, state, pagesize: pageSize, nexttoken } = query;
      return orgWorkspaces.list(org.code, { env, prefix, state, pageSize, nexttoken });
    }),
    serve(orgWorkspacesApi.createOrgWorkspace, (request, caller) => {
      const { env, name, code } = request.body;
      requireTest(env);
      const { actor, request_id: requestId } = caller.command.auditContext;
      const place = { env, orgCode: caller.org.code, requestId };
      return orgWorkspaces.create(place, { name: name.trim(), code, made_by: actor.id });
    }),
    serve(orgWorkspacesApi.readOrgWorkspace, ({ params, query }, { org }) =>
      orgWorkspaces.show(org.code, query.env, params.tenant_code),
    ),
    serve(orgWorkspacesApi.suspendWorkspace, async (request, caller) => {
      const { env, reason } = request.body;
      await orgWorkspaces.suspend({ ...caller.command, env, id: request.params.tenant_code }, reason.trim());
    }),
    serve(orgWorkspacesApi.resumeWorkspace, async (request, caller) => {
      const { env, reason } = request.body;
      await orgWorkspaces.resume({ ...caller.command, env, id: request.params.tenant_code }, reason?.trim());
    }),
  ];
}

/** The way an org asks people into the workspaces of its app, also of production. */
function workspaceInvitationRoutes({ workspaceInvitations }: WorkspaceRouteDeps): readonly AnyRoute[] {
  return [
    serve(workspaceInvitationsApi.listWorkspaceInvitations, async ({ params, query }, { org }) => {
      const { tenant_code: tenantCode } = params;
      return { items: await workspaceInvitations.list({ orgCode: org.code, env: query.env, tenantCode }) };
    }),
    serve(workspaceInvitationsApi.inviteToWorkspace, (request, caller) => {
      const { env, ...rest } = request.body;
      const command = { ...caller.command, env, tenantCode: request.params.tenant_code };
      return workspaceInvitations.invite(command, rest);
    }),
    serve(workspaceInvitationsApi.resendWorkspaceInvitation, ({ params, body: { env } }, { command }) =>
      workspaceInvitations.resend({ ...command, env, tenantCode: params.tenant_code }, params.id),
    ),
    serve(workspaceInvitationsApi.withdrawWorkspaceInvitation, async ({ params, query: { env } }, { command }) => {
      await workspaceInvitations.withdraw({ ...command, env, tenantCode: params.tenant_code }, params.id);
    }),
  ];
}

interface EnvironmentRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
}

/** Workspaces are no configuration, so those of production are changed here too: by admins of the org. */
function workspaceTemplateRoutes({
  workspaceDrifts: drifts,
  templateApplications: applications,
}: WorkspaceRouteDeps): readonly AnyRoute[] {
  const commandOf = ({ query: { env } }: EnvironmentRequest, caller: BuilderCaller) => {
    if (env === 'prod') requireProd(caller);
    return { ...caller.command, env };
  };
  return [
    serve(workspaceTemplatesApi.listWorkspaceDrift, ({ query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return drifts.list(org.code, { env, pageSize, nexttoken });
    }),
    serve(workspaceTemplatesApi.readWorkspaceDrift, ({ params, query }, { org }) =>
      drifts.show(org.code, { env: query.env, code: params.tenant_code, replacesLocal: query.replace_local }),
    ),
    serve(workspaceTemplatesApi.previewTemplateApplication, (request, caller) =>
      applications.preview(commandOf(request, caller), request.body ?? {}),
    ),
    serve(workspaceTemplatesApi.listTemplateApplications, async ({ query }, { org }) => ({
      items: await applications.list({ env: query.env, orgCode: org.code }),
    })),
    serve(workspaceTemplatesApi.readTemplateApplication, ({ params, query }, { org }) =>
      applications.show({ env: query.env, orgCode: org.code }, params.id),
    ),
    serve(workspaceTemplatesApi.listAppliedWorkspaces, ({ params, query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return applications.workspaces({ env, orgCode: org.code }, params.id, { pageSize, nexttoken });
    }),
    serve(workspaceTemplatesApi.startTemplateApplication, (request, caller) => {
      const { accept_widening: acceptsWidening = false } = request.body ?? {};
      return applications.start(commandOf(request, caller), request.params.id, { acceptsWidening });
    }),
    serve(workspaceTemplatesApi.cancelTemplateApplication, (request, caller) =>
      applications.cancel(commandOf(request, caller), request.params.id),
    ),
  ];
}
