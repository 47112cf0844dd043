import { overviewApi } from '@freehold/contract/management/overview';
import type { ReplyOf } from '@freehold/contract/route';
import type { AnyRoute } from '../../../api/route.ts';
import { serve } from '../../../api/serve.ts';
import type { AuditContext } from '../../../audit/audit-entry.ts';
import type { EntityAdmin } from '../../../entities/port.ts';
import type { AccessOverview, DecisionLog, LoggedDecision } from '../../../iam/port.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Promotion } from '../../../promotion/port.ts';
import type { Environment } from '../../../tenancy/port.ts';
import type { Alerts } from '../../../webhooks/open-alerts.ts';
import type { OrgWorkspaces } from '../../../workspaces/org-workspaces.ts';

export interface OverviewRouteDeps {
  readonly orgWorkspaces: Pick<OrgWorkspaces, 'list'>;
  readonly entities: (env: Environment, auditContext: AuditContext) => EntityAdmin;
  readonly waitingJobs: (env: Environment, orgCode: string) => Promise<Overview['jobs']>;
  readonly alerts: Pick<Alerts, 'show'>;
  readonly decisions: DecisionLog;
  readonly promotion: Promotion;
  readonly accessOverview: AccessOverview;
}

type Overview = ReplyOf<typeof overviewApi.showOverview>;

const shownMax = 5;

/** A builder's first page. It is made of what the modules keep anyway, and reads no records. */
export function overviewRoutes(services: OverviewRouteDeps): readonly AnyRoute[] {
  const { entities, waitingJobs, decisions, promotion, accessOverview } = services;
  return [
    serve(overviewApi.showOverview, async (request, caller) => {
      const { env, workspaces, first_steps: asksFirstSteps } = request.query;
      const { code, environments } = caller.org;
      return {
        builds: await entities(env, caller.command.auditContext).builds(code),
        jobs: await waitingJobs(env, code),
        webhook: await webhookOf(services, code),
        denials: decisions.latest(code, { env, limit: shownMax }).map(denial),
        releases: environments.prod === null ? [] : await promotion.latest(code, shownMax),
        ...(workspaces === 0 ? {} : { workspaces: await firstWorkspaces(services, code, { env, workspaces }) }),
        ...(asksFirstSteps ? { first_steps: await accessOverview.first(code) } : {}),
      };
    }),
  ];
}

async function firstWorkspaces(
  { orgWorkspaces }: OverviewRouteDeps,
  orgCode: string,
  { env, workspaces: pageSize }: { readonly env: Environment; readonly workspaces: number },
): Promise<Overview['workspaces']> {
  const { items, nexttoken } = await orgWorkspaces.list(orgCode, {
    env,
    prefix: undefined,
    state: undefined,
    pageSize,
    nexttoken: undefined,
  });
  return { items, more: nexttoken !== null };
}

/** Its address is for admins alone. */
async function webhookOf({ alerts }: OverviewRouteDeps, orgCode: string): Promise<Overview['webhook']> {
  const webhook = await alerts.show(orgCode).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  });
  if (webhook === undefined) return null;
  const last = webhook.last_delivery;
  return { last_delivery: last === null ? null : { state: last.state, attempts: last.attempts, at: last.at } };
}

function denial({ explanation: _, ...logged }: LoggedDecision): Overview['denials'][number] {
  return logged;
}
