import { type AuditContext, platformAuditEntry } from '../audit/audit-entry.ts';
import { notFound } from '../lib/problem.ts';
import type { Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { defaultPlan, type Plan, readPlan, type SentPlan } from './plans/plan.ts';

/** The plan of an org as it is kept. */
export interface OrgPlan extends Plan {
  /** Null if the org was given no plan. */
  readonly updated_at: string | null;
}

export interface Plans {
  of(orgCode: string): Promise<OrgPlan>;
  /** Gives an org a plan in place of the one that it has. @throws Problem `not_found`, `validation_failed`, `unknown_field`. */
  set(orgCode: string, body: SentPlan, auditContext: AuditContext): Promise<OrgPlan>;
  /** What an operator is shown. @throws Problem `not_found`. */
  show(orgCode: string): Promise<OrgPlan>;
}

export interface PlansDeps {
  /** The platform's own scope. */
  readonly platform: Scope;
  readonly hasOrg: (orgCode: string) => Promise<boolean>;
  /** Called when this node has changed a plan, or may have. */
  readonly changed: (orgCode: string) => void;
}

export function createPlans({ platform, hasOrg, changed }: PlansDeps): Plans {
  const of: Plans['of'] = async (orgCode) => {
    const row = await plans.read(platform, orgCode);
    return row?.value ?? { ...defaultPlan, updated_at: null };
  };
  const requireOrg = async (orgCode: string): Promise<void> => {
    if (!(await hasOrg(orgCode))) throw notFound();
  };
  return {
    of,
    show: async (orgCode) => {
      await requireOrg(orgCode);
      return of(orgCode);
    },
    set: async (orgCode, body, auditContext) => {
      await requireOrg(orgCode);
      const plan: OrgPlan = { ...readPlan(body), updated_at: auditContext.at };
      const audited = { action: 'plan.changed', target: { kind: 'plan', id: plan.name }, detail: { ...plan.limits } };
      try {
        await platform.commit([
          plans.put(orgCode, plan, { if: 'any' }),
          platformAuditEntry(orgCode, auditContext, audited),
        ]);
      } finally {
        changed(orgCode);
      }
      return plan;
    },
  };
}

const plans = table(
  (orgCode: string) => ({ pk: 'plan', sk: orgCode }),
  json<OrgPlan>('plan', { name: 'string', limits: 'object' }),
);
