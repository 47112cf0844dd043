import { logicBlocksApi } from '@freehold/contract/app/logicblocks';
import { hooksApi } from '@freehold/contract/features/hooks';
import { schedulesApi } from '@freehold/contract/management/automation/schedules';
import { deliveriesApi } from '@freehold/contract/management/deliveries';
import { runsApi } from '@freehold/contract/management/runs';
import { secretsApi } from '@freehold/contract/management/secrets';
import { requireProd } from '../../api/environments.ts';
import { json } from '../../api/reply.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute, RoutesOfModule } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { notFound } from '../../lib/problem.ts';
import { type BuilderCaller, requireWorkspace, workUserOf } from '../../people/port.ts';
import type { ConfigItems } from '../../promotion/port.ts';
import { mayBeId } from '../../records/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { OrgPlace } from '../automation-deps.ts';
import type { RunCaller } from '../blocks/caller-effects.ts';
import type { createDrafts } from '../drafts/draft-run.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import type { EventServices } from '../outbox/event-services.ts';
import type { SecretReferences, SecretVault } from '../outside/secret-vault.ts';
import type { openRuns } from '../runs/control-run.ts';
import type { RunName } from '../runs/run-log.ts';
import type { createLogicBlocks } from '../runs/runs.ts';
import type { Schedules } from '../schedules/schedules.ts';
import { type HookRouteDeps, hookRoutes } from './hooks.ts';

export function automationRoutes(deps: AutomationRouteDeps): RoutesOfModule {
  return {
    app: [...logicBlockRoutes(deps), ...hookRoutes(deps), ...ownRunRoutes(deps)],
    management: [
      ...runRoutes(deps),
      ...scheduleRoutes(deps),
      ...hookAdminRoutes(deps),
      ...deliveryRoutes(deps),
      ...secretRoutes(deps),
    ],
  };
}

export interface AutomationRouteDeps extends HookRouteDeps {
  readonly drafts: ReturnType<typeof createDrafts>;
  readonly logicBlocks: ReturnType<typeof createLogicBlocks>;
  readonly runs: ReturnType<typeof openRuns>;
  readonly schedules: Schedules;
  readonly events: EventServices;
  readonly items: ConfigItems;
  readonly secretVault: SecretVault;
  readonly secretReferences: SecretReferences;
}

function logicBlockRoutes({ logicBlocks }: AutomationRouteDeps): readonly AnyRoute[] {
  interface BlockRequest {
    readonly requestId: string;
    readonly params: { readonly name: string; readonly path?: string };
    readonly body: object | undefined;
  }
  const run = async ({ requestId, params: { name, path = '' }, body: input = {} }: BlockRequest, caller: RunCaller) => {
    const outcome = await logicBlocks.run(caller, { name, path, input, requestId, config: caller.config });
    // A request that is sent again must not do once more what a run did before it was refused, so this is an answer.
    if ('refusal' in outcome) return caller.refusal(outcome.refusal);
    return 'run' in outcome ? json(202, outcome) : json(200, outcome.returns);
  };
  return [serveReply(logicBlocksApi.runLogicBlock, run), serveReply(logicBlocksApi.runLogicBlockAt, run)];
}

function ownRunRoutes({ runs }: AutomationRouteDeps): readonly AnyRoute[] {
  return [
    serve(logicBlocksApi.readOwnRun, ({ params: { id } }, caller) => {
      if (!mayBeId(id)) throw notFound();
      return runs.own(requireWorkspace(caller).workspace, id, workUserOf(caller));
    }),
  ];
}

interface PlacedRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
}

/**
 * The environment that a request names. What is no configuration belongs to it alone, so production's is changed here too,
 * by its admins. @throws Problem `conflict` where there is no production.
 */
function placeOf({ query: { env } }: PlacedRequest, caller: BuilderCaller): OrgPlace {
  if (env === 'prod') requireProd(caller);
  return { env, orgCode: caller.org.code };
}

function commandOf(request: PlacedRequest, caller: BuilderCaller) {
  return { ...placeOf(request, caller), auditContext: caller.command.auditContext };
}

function runRoutes({ runs, drafts, items }: AutomationRouteDeps): readonly AnyRoute[] {
  /** @throws Problem `not_found` for what is no id. */
  const nameOf = (
    { query: { env }, params: { id } }: PlacedRequest & { readonly params: { readonly id: string } },
    { org }: Pick<BuilderCaller, 'org'>,
  ): RunName => {
    if (!mayBeId(id)) throw notFound();
    return { env, orgCode: org.code, id };
  };
  return [
    serve(runsApi.listRuns, ({ query }, { org }) => runs.list({ ...query, orgCode: org.code })),
    serve(runsApi.readRun, (request, caller) => runs.show(nameOf(request, caller))),
    serve(runsApi.cancelRun, async (request, caller) => {
      await runs.cancel(nameOf(request, caller), caller.command.auditContext);
    }),
    serve(runsApi.retryRun, (request, caller) =>
      runs.retry(nameOf(request, caller), { by: caller.command.auditContext, from: request.body?.from }),
    ),
    serve(runsApi.listLogicBlocks, ({ query }, { org }) => runs.blocks({ env: query.env, orgCode: org.code }, query)),
    serve(runsApi.testLogicBlock, async (request, caller) => {
      const { content: sent, tenant_code: tenantCode, input = {}, record, before } = request.body;
      const orgCode = caller.org.code;
      // The errors of the content say what is wrong with a name.
      const name = typeof sent.name === 'string' ? sent.name : '';
      const content = await items.check({ orgCode, kind: 'logicblock', name, content: sent, at: '/content' });
      const by = caller.command.auditContext;
      return drafts.run({ orgCode, tenantCode, content: content as LogicBlockContent, input, record, before, by });
    }),
    serve(runsApi.beginRun, (request, caller) => {
      const { tenant_code: tenantCode, input = {} } = request.body;
      const { auditContext: by, ...place } = commandOf(request, caller);
      return runs.begin({ ...place, tenantCode, block: request.params.name, input, by });
    }),
  ];
}

function scheduleRoutes({ schedules }: AutomationRouteDeps): readonly AnyRoute[] {
  return [
    serve(schedulesApi.listSchedules, async ({ query: { env } }, { org }) => {
      return { items: await schedules.list({ env, orgCode: org.code }) };
    }),
    serve(schedulesApi.pauseSchedule, async (request, caller) => {
      const { auditContext, ...place } = commandOf(request, caller);
      await schedules.pause({ ...place, block: request.params.name }, auditContext);
    }),
    serve(schedulesApi.resumeSchedule, async (request, caller) => {
      const { auditContext, ...place } = commandOf(request, caller);
      await schedules.resume({ ...place, block: request.params.name }, auditContext);
    }),
  ];
}

function hookAdminRoutes({ hooks }: AutomationRouteDeps): readonly AnyRoute[] {
  return [
    serve(hooksApi.listHooks, async ({ query: { env } }, { org }) => {
      return { items: await hooks.list({ env, orgCode: org.code }) };
    }),
    serve(hooksApi.readHook, ({ query: { env }, params }, { org }) =>
      hooks.show({ env, orgCode: org.code, block: params.name }),
    ),
    serve(hooksApi.setHook, (request, caller) => {
      const { auditContext, ...place } = commandOf(request, caller);
      return hooks.set({ ...place, block: request.params.name }, request.body, auditContext);
    }),
  ];
}

function deliveryRoutes({ events }: AutomationRouteDeps): readonly AnyRoute[] {
  const eventOf = (request: PlacedRequest & { readonly params: { readonly name: string } }, caller: BuilderCaller) => {
    return { ...commandOf(request, caller), event: request.params.name };
  };
  return [
    serve(deliveriesApi.listEvents, (request, caller) =>
      events.listEvents({ ...request.query, ...placeOf(request, caller) }),
    ),
    serve(deliveriesApi.listDeliveries, ({ query }, { org }) => events.list({ ...query, orgCode: org.code })),
    serve(deliveriesApi.readDelivery, ({ query: { env }, params }, { org }) =>
      events.read({ env, orgCode: org.code }, params.id),
    ),
    serve(deliveriesApi.redeliver, (request, caller) =>
      events.redeliver(commandOf(request, caller), request.params.id),
    ),
    serveReply(deliveriesApi.redeliverMany, async (request, caller) => {
      const command = commandOf(request, caller);
      if (request.query.dry_run) return json(200, await events.countRedelivered(command, request.body));
      return json(202, await events.redeliverMany(command, request.body));
    }),
    serve(deliveriesApi.testEvent, (request, caller) => {
      const { id, email } = caller.user;
      return events.test({ ...placeOf(request, caller), user: { id, email } }, request.params.name, request.body);
    }),
    serve(deliveriesApi.listEventStates, (request, caller) =>
      events.states({ ...placeOf(request, caller), nexttoken: request.query.nexttoken }),
    ),
    serve(deliveriesApi.pauseEvent, (request, caller) => events.pauses.pause(eventOf(request, caller))),
    serve(deliveriesApi.resumeEvent, (request, caller) => events.pauses.resume(eventOf(request, caller))),
    serve(deliveriesApi.showEventSecret, (request, caller) =>
      events.showSecret(placeOf(request, caller), request.params.name),
    ),
    serve(deliveriesApi.makeEventSecret, (request, caller) => events.makeSecret(eventOf(request, caller))),
  ];
}

function secretRoutes({ secretVault, secretReferences }: AutomationRouteDeps): readonly AnyRoute[] {
  return [
    serve(secretsApi.listSecrets, async ({ query }, { org }) => {
      const items = await secretVault.list(query.env, org.code);
      if (!query.references) return { items };
      const { byName, isPartial } = await secretReferences(query.env, org.code);
      return {
        items: items.map((item) => ({ ...item, referenced_by: [...(byName.get(item.name) ?? [])] })),
        ...(isPartial && { partial: true as const }),
      };
    }),
    serve(secretsApi.setSecret, (request, caller) =>
      secretVault.set({ ...commandOf(request, caller), name: request.params.name }, request.body),
    ),
    serve(secretsApi.removeSecret, async (request, caller) => {
      await secretVault.remove({ ...commandOf(request, caller), name: request.params.name });
    }),
  ];
}
