import type { usageApi } from '@freehold/contract/management/usage';
import { knownPlans } from '@freehold/contract/plans';
import type { BodyOf } from '@freehold/contract/route';
import { type AuditContext, platformAuditEntry } from '../audit/audit-entry.ts';
import { invalidBody, notFound } from '../lib/problem.ts';
import type { Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';

export const metrics = ['api_calls_per_day', 'api_calls_per_month', 'records'] as const;

export type Metric = (typeof metrics)[number];

/**
 * The counts that a plan caps for an org: entities and indexes in each environment, policies in each workspace. Unlike
 * a metric, a cap that is reached closes nothing but changes that would add more.
 */
export const caps = ['entities', 'indexes', 'policies'] as const;

export type Cap = (typeof caps)[number];

/** The daily limits of automation, for both environments together. A reached limit stops automation alone. */
export const workLimits = ['runs_per_day', 'deliveries_per_day', 'script_seconds_per_day', 'mails_per_day'] as const;

export type WorkLimit = (typeof workLimits)[number];

/** For how many days runs, and receipts of deliveries, are kept once they are over. */
type Keeping = 'run_days' | 'receipt_days';

/** A limit that is left out is that of the platform itself. */
export type Limits = Readonly<Partial<Record<Metric | Cap | WorkLimit | Keeping, number>>>;

interface Plan {
  readonly name: string;
  readonly limits: Limits;
}

/** The default plan of orgs. */
const defaultPlan: Plan = { name: 'unlimited', limits: {} };

type SentPlan = BodyOf<typeof usageApi.changePlan>;

/** A plan by its name, whose limits are its own or those that are sent. @throws Problem `validation_failed`. */
function readPlan({ name, limits }: SentPlan): Plan {
  const own = isKnown(name) ? knownPlans[name] : undefined;
  if (limits !== undefined) return { name, limits: definedLimits(limits) };
  if (own !== undefined) return { name, limits: own };
  const names = Object.keys(knownPlans).join(', ');
  const message = `\`limits\` is required: only ${names} have some of their own`;
  throw invalidBody([{ pointer: '/limits', code: 'required', message }]);
}

function isKnown(name: string): name is keyof typeof knownPlans {
  return Object.hasOwn(knownPlans, name);
}

function definedLimits(limits: Readonly<Partial<Record<keyof Limits, number | undefined>>>): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** The plan of an org as it is kept. */
export interface OrgPlan extends Plan {
  /** Null if the org was given no plan. */
  readonly updated_at: string | null;
}

export interface Plans {
  of(orgCode: string): Promise<OrgPlan>;
  /** Replaces the plan of an org. @throws Problem `not_found`, `validation_failed`, `unknown_field`. */
  set(orgCode: string, body: SentPlan, auditContext: AuditContext): Promise<OrgPlan>;
  /** The plan, for an operator. @throws Problem `not_found`. */
  show(orgCode: string): Promise<OrgPlan>;
}

interface PlansDeps {
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
