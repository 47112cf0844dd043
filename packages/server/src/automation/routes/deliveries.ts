import { deliveriesApi } from '@freehold/contract/management/deliveries';
import { requireProd } from '../../api/environments.ts';
import { json } from '../../api/reply.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import type { BuilderCaller } from '../../identity/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { AutomationRouteDeps } from './deps.ts';

interface EventRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
}

/** Deliveries are no configuration, so production's are sent again here too: by its admins. */
export function deliveryRoutes({ events }: AutomationRouteDeps): readonly AnyRoute[] {
  const placeOf = ({ query: { env } }: EventRequest, caller: BuilderCaller) => {
    if (env === 'prod') requireProd(caller);
    return { env, orgCode: caller.org.code };
  };
  const changing = (request: EventRequest, caller: BuilderCaller) => {
    return { ...placeOf(request, caller), auditContext: caller.command.auditContext };
  };
  return [
    serve(deliveriesApi.listEvents, (request, caller) =>
      events.listEvents({ ...request.query, ...placeOf(request, caller) }),
    ),
    serve(deliveriesApi.listDeliveries, ({ query }, { org }) => events.list({ ...query, orgCode: org.code })),
    serve(deliveriesApi.readDelivery, ({ query: { env }, params }, { org }) =>
      events.read({ env, orgCode: org.code }, params.id),
    ),
    serve(deliveriesApi.redeliver, (request, caller) => events.redeliver(changing(request, caller), request.params.id)),
    serveReply(deliveriesApi.redeliverMany, async (request, caller) => {
      const command = changing(request, caller);
      if (request.query.dry_run) return json(200, await events.countRedelivered(command, request.body));
      return json(202, await events.redeliverMany(command, request.body));
    }),
    serve(deliveriesApi.testEvent, (request, caller) => {
      const { env, orgCode } = changing(request, caller);
      const { id, email } = caller.user;
      return events.test({ env, orgCode, user: { id, email } }, request.params.name, request.body);
    }),
    serve(deliveriesApi.listEventStates, (request, caller) =>
      events.states({ ...placeOf(request, caller), nexttoken: request.query.nexttoken }),
    ),
    serve(deliveriesApi.pauseEvent, (request, caller) =>
      events.pauses.pause({ ...changing(request, caller), event: request.params.name }),
    ),
    serve(deliveriesApi.resumeEvent, (request, caller) =>
      events.pauses.resume({ ...changing(request, caller), event: request.params.name }),
    ),
    serve(deliveriesApi.showEventSecret, (request, caller) =>
      events.showSecret(placeOf(request, caller), request.params.name),
    ),
    serve(deliveriesApi.makeEventSecret, (request, caller) =>
      events.makeSecret({ ...changing(request, caller), event: request.params.name }),
    ),
  ];
}
