import { schedulesApi } from '@freehold/contract/management/automation/schedules';
import { requireProd } from '../../api/environments.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { BuilderCaller } from '../../identity/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { ScheduleName } from '../schedules/schedules.ts';
import type { AutomationRouteDeps } from './deps.ts';

interface ScheduleRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
  readonly params: { readonly name: string };
}

/** Whether a schedule is paused is no configuration, so production's are paused here too: by its admins. */
export function scheduleRoutes({ schedules }: AutomationRouteDeps): readonly AnyRoute[] {
  const changing = ({ query: { env }, params }: ScheduleRequest, caller: BuilderCaller): ScheduleName => {
    if (env === 'prod') requireProd(caller);
    return { env, orgCode: caller.org.code, block: params.name };
  };
  return [
    serve(schedulesApi.listSchedules, async ({ query: { env } }, { org }) => {
      return { items: await schedules.list({ env, orgCode: org.code }) };
    }),
    serve(schedulesApi.pauseSchedule, async (request, caller) => {
      await schedules.pause(changing(request, caller), caller.command.auditContext);
    }),
    serve(schedulesApi.resumeSchedule, async (request, caller) => {
      await schedules.resume(changing(request, caller), caller.command.auditContext);
    }),
  ];
}
