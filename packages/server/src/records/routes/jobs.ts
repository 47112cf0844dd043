import { jobsApi } from '@freehold/contract/app/jobs';
import type { GatewayRequest } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import { type AppCaller, requireWorkspace } from '../../identity/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Job } from '../port.ts';
import { authorizeAction } from '../../gateway/pipeline/authorize.ts';
import type { AppServices } from '../../gateway/app-services.ts';

type JobServices = Pick<AppServices, 'removals' | 'configs' | 'decisions'> & { readonly clock: Clock };

/** The routes about work that goes on after a reply: for who started it, and for those who administer the workspace. */
export function jobRoutes(services: JobServices): readonly AnyRoute[] {
  return [
    serve(jobsApi.readJob, (request, caller) => visibleJob(services, request, caller)),
    serve(jobsApi.cancelJob, async (request, caller) => {
      const { id } = await visibleJob(services, request, caller);
      return services.removals.cancel(requireWorkspace(caller).workspace, id);
    }),
  ];
}

type JobRequest = Pick<GatewayRequest, 'head' | 'ip' | 'requestId'> & { readonly params: { readonly id: string } };

/** @throws Problem `not_found` where there is no such job, and where it is not the caller's to see. */
async function visibleJob(services: JobServices, request: JobRequest, caller: AppCaller): Promise<Job> {
  const { workspace } = requireWorkspace(caller);
  const found = await services.removals.find(workspace, request.params.id);
  if (found === undefined) throw notFound();
  if (found.user !== caller.claims.sub && !(await mayAdminister(services, request, caller))) throw notFound();
  return found.job;
}

/** Who may change the workspace administers it. */
async function mayAdminister(services: JobServices, request: JobRequest, caller: AppCaller): Promise<boolean> {
  const { requestId, ip, head } = request;
  const asking = { caller, requestId, ip, origin: head.headers.origin, time: services.clock.now() };
  const asked = { method: 'PUT', resource: '/user/workspace', params: {}, query: '', takesBody: false };
  try {
    await authorizeAction(services, asking, { action: 'updateworkspace', ...asked });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'access_denied') return false;
    throw error;
  }
}
