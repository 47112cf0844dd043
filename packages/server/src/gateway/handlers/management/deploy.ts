import { deployApi } from '@freehold/contract/management/deploy';
import { configItemKinds } from '../../../config/port.ts';
import type { TemplateApplications } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { notFound, Problem } from '../../../lib/problem.ts';
import { type Promotion, publishMistakes } from '../../../promotion/port.ts';
import { longJson } from '../../listening/long-json.ts';
import { auditContextOf } from '../../pipeline/audit-context.ts';
import { mayReadProduction } from '../../pipeline/production-values.ts';
import { type AskedDeploy, askDeploy, builderAsDeployer, type DeployCaller } from '../../routing/deploy-caller.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve, serveReply } from '../../serve.ts';
import type { AccountServices } from './accounts.ts';

export interface DeployServices extends AccountServices {
  readonly promotion: Promotion;
  readonly templateApplications: TemplateApplications;
  readonly clock: Clock;
}

/** The way of configuration from test to production, and back. */
export function deployRoutes(services: DeployServices): readonly ManagementRoute[] {
  return [...stagingRoutes(services), ...releaseRoutes(services), ...retiredRoutes(services)];
}

/** Production, and what is on its way there. */
function stagingRoutes({ accounts, promotion, clock }: DeployServices): readonly ManagementRoute[] {
  return [
    serve(deployApi.provisionProd, (request, caller) => {
      const asked = { orgCode: caller.org.code, auditContext: auditContextOf(clock, request, caller) };
      const founderEmail = request.body?.founder_email;
      return accounts.provisionProd({ ...asked, founderEmail, builderEmail: caller.user.email });
    }),
    serveReply(deployApi.readDiff, async (request, caller) =>
      longJson(200, { items: await promotion.diff(askDeploy(clock, request, caller).orgCode) }),
    ),
    serve(
      deployApi.publish,
      (request, caller) =>
        promotion.publish(askDeploy(clock, request, caller), request.body, { showsRecords: mayReadProduction(caller) }),
      { mistakes: publishMistakes },
    ),
    serve(deployApi.readStaged, (request, caller) =>
      promotion.staged(askDeploy(clock, request, caller).orgCode, { showsRecords: mayReadProduction(caller) }),
    ),
    serve(deployApi.withdrawAll, async (request, caller) => {
      await promotion.withdraw(askDeploy(clock, request, caller));
    }),
    serve(deployApi.withdraw, async (request, caller) => {
      const { kind, name = '' } = request.params;
      const known = configItemKinds.find((one) => one === kind);
      if (known === undefined) throw notFound();
      await promotion.withdraw(askDeploy(clock, request, caller), { kind: known, name });
    }),
  ];
}

/** What is live in production, and was. */
function releaseRoutes(services: DeployServices): readonly ManagementRoute[] {
  const { promotion, clock } = services;
  return [
    serve(deployApi.activate, async (request, caller) => {
      const asked = askDeploy(clock, request, caller);
      const { apply_templates: applies = false, ...body } = request.body ?? {};
      if (applies) requireAdmin(caller);
      const activated = await promotion.activate(asked, body);
      return applies ? applyTemplates(services, asked, activated) : activated;
    }),
    serve(deployApi.rollback, (request, caller) => promotion.rollback(askDeploy(clock, request, caller), request.body)),
    serveReply(deployApi.listReleases, async (request, caller) => {
      const { orgCode } = askDeploy(clock, request, caller);
      const { pagesize: pageSize, nexttoken } = request.query;
      return longJson(200, await promotion.history(orgCode, { pageSize, nexttoken }));
    }),
    serveReply(deployApi.readRelease, async (request, caller) => {
      const { orgCode } = askDeploy(clock, request, caller);
      const version = readVersion(request.params.version);
      const isCompared = request.query.compare !== undefined;
      return longJson(200, await (isCompared ? promotion.comparedRelease : promotion.release)(orgCode, version));
    }),
  ];
}

/** A key does not decide what members of workspaces may do. @throws Problem `role_required`. */
function requireAdmin({ actor, role }: DeployCaller): void {
  if (actor.kind !== 'org_user' || role !== 'org_admin')
    throw new Problem('role_required', '`apply_templates` needs the role `org_admin`, which no deploy key has');
}

/** The release is live by now, so a refusal is a check beside it. */
async function applyTemplates(
  { templateApplications }: DeployServices,
  asked: AskedDeploy,
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
function retiredRoutes({ promotion, clock }: DeployServices): readonly ManagementRoute[] {
  return [
    serve(deployApi.listRetired, async (request, caller) => ({
      items: await promotion.retired(askDeploy(clock, request, caller).orgCode, 'entity'),
    })),
    serve(deployApi.removeRetired, async (request, caller) => {
      const { name } = request.params;
      const asked = askDeploy(clock, request, builderAsDeployer(caller));
      await promotion.removeRetired(asked, { kind: 'entity', name });
    }),
  ];
}

function readVersion(text: string): number {
  if (!/^[1-9][0-9]{0,11}$/.test(text)) throw notFound();
  return Number(text);
}
