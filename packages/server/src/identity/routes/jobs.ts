import { jobsApi } from '@freehold/contract/app/jobs';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import { notFound } from '../../lib/problem.ts';
import type { Job } from '../../records/port.ts';
import { type AppCaller, requireWorkspace } from '../sessions/app-sessions.ts';
import type { IdentityRouteDeps } from './deps.ts';

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
