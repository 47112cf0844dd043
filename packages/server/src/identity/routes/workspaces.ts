import { invitationsApi } from '@freehold/contract/app/invitations';
import { jobsApi } from '@freehold/contract/app/jobs';
import { workspacesApi } from '@freehold/contract/app/workspaces';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { notFound } from '../../lib/problem.ts';
import type { Job } from '../../records/port.ts';
import type { Invitations } from '../invitations/invitations.ts';
import { type AppCaller, requireWorkspace } from '../sessions/app-sessions.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** The workspaces that a person is in, and the one that the token is of. */
export function workspaceRoutes(workspaces: Workspaces): readonly AnyRoute[] {
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

/** How people are asked into the workspace of the token, and come in. */
export function invitationRoutes(invitations: Invitations): readonly AnyRoute[] {
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
export function jobRoutes(services: IdentityRouteDeps): readonly AnyRoute[] {
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
async function visibleJob(services: IdentityRouteDeps, request: JobRequest, caller: AppCaller): Promise<Job> {
  const { workspace } = requireWorkspace(caller);
  const found = await services.removals.find(workspace, request.params.id);
  if (found === undefined) throw notFound();
  // Who may change the workspace administers it.
  if (found.user !== caller.claims.sub && !(await services.mayAct(caller, request, 'updateworkspace')))
    throw notFound();
  return found.job;
}
