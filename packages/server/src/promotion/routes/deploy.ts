import { deployApi } from '@freehold/contract/management/deploy';
import { longJson } from '../../api/long-json.ts';
import { mayReadProduction } from '../../api/production-values.ts';
import type { AnyRoute, Callers } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { configItemKinds } from '../../config/port.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Promotion } from '../promotion.ts';
import { publishMistakes } from '../read-requests.ts';
import { type Command, deployCommand, type PromotionRouteDeps } from './deps.ts';

/** The way of configuration from test to production, and back. */
export function deployRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
  return [...stagingRoutes(services), ...releaseRoutes(services), ...retiredRoutes(services)];
}

/** Production, and what is on its way there. */
function stagingRoutes({ promotion }: PromotionRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(deployApi.readDiff, async (_request, caller) =>
      longJson(200, { items: await promotion.diff(deployCommand(caller).orgCode) }),
    ),
    serve(
      deployApi.publish,
      (request, caller) =>
        promotion.publish(deployCommand(caller), request.body, { showsRecords: mayReadProduction(caller) }),
      { mistakes: publishMistakes },
    ),
    serve(deployApi.readStaged, (_request, caller) =>
      promotion.staged(deployCommand(caller).orgCode, { showsRecords: mayReadProduction(caller) }),
    ),
    serve(deployApi.withdrawAll, async (_request, caller) => {
      await promotion.withdraw(deployCommand(caller));
    }),
    serve(deployApi.withdraw, async (request, caller) => {
      const { kind, name = '' } = request.params;
      const known = configItemKinds.find((one) => one === kind);
      if (known === undefined) throw notFound();
      await promotion.withdraw(deployCommand(caller), { kind: known, name });
    }),
  ];
}

/** What is live in production, and was. */
function releaseRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
  const { promotion } = services;
  return [
    serve(deployApi.activate, async (request, caller) => {
      const asked = deployCommand(caller);
      const { apply_templates: applies = false, ...body } = request.body ?? {};
      if (applies) requireAdmin(caller);
      const activated = await promotion.activate(asked, body);
      return applies ? applyTemplates(services, asked, activated) : activated;
    }),
    serve(deployApi.rollback, (request, caller) => promotion.rollback(deployCommand(caller), request.body)),
    serveReply(deployApi.listReleases, async (request, caller) => {
      const { orgCode } = deployCommand(caller);
      const { pagesize: pageSize, nexttoken } = request.query;
      return longJson(200, await promotion.history(orgCode, { pageSize, nexttoken }));
    }),
    serveReply(deployApi.readRelease, async (request, caller) => {
      const { orgCode } = deployCommand(caller);
      const version = readVersion(request.params.version);
      const isCompared = request.query.compare !== undefined;
      return longJson(200, await (isCompared ? promotion.comparedRelease : promotion.release)(orgCode, version));
    }),
  ];
}

/** A key does not decide what members of workspaces may do. @throws Problem `role_required`. */
function requireAdmin({ actor, role }: Callers['activate']): void {
  if (actor.kind !== 'org_user' || role !== 'org_admin')
    throw new Problem('role_required', '`apply_templates` needs the role `org_admin`, which no deploy key has');
}

/** The release is live by now, so a refusal is a check beside it. */
async function applyTemplates(
  { templateApplications }: PromotionRouteDeps,
  asked: Command,
  activated: Awaited<ReturnType<Promotion['activate']>>,
) {
  try {
    const { id } = await templateApplications.apply({ ...asked, env: 'prod' });
    return { ...activated, template_application: id };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    const message = `the template is not applied to workspaces: ${problem.message}`;
    const check = { check: 'access', level: 'warning', message } as const;
    return { ...activated, checks: [...activated.checks, check], template_application: null };
  }
}

/** What production keeps of entities that it serves no more. */
function retiredRoutes({ promotion }: PromotionRouteDeps): readonly AnyRoute[] {
  return [
    serve(deployApi.listRetired, async (_request, caller) => ({
      items: await promotion.retired(deployCommand(caller).orgCode, 'entity'),
    })),
    serve(deployApi.removeRetired, async (request, caller) => {
      await promotion.removeRetired(deployCommand(caller), { kind: 'entity', name: request.params.name });
    }),
  ];
}

function readVersion(text: string): number {
  if (!/^[1-9][0-9]{0,11}$/.test(text)) throw notFound();
  return Number(text);
}
