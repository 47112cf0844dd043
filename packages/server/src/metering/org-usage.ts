import type { platformOrgsApi } from '@freehold/contract/management/operator/orgs';
import type { ReplyOf } from '@freehold/contract/route';
import type { Environment } from '../tenancy/port.ts';
import type { Ledger, RecordsOf } from './ledger.ts';
import type { Caps, ShownCaps } from './plans/caps.ts';
import { caps, type Limits, metrics, type OrgPlan, type Plans, workLimits } from './plans.ts';
import { addTallies, addWork, type Day, firstOfMonth, noWork, type Tally, type WorkDone } from './usage-rows.ts';
import type { WorkLedger } from './work-units/work-ledger.ts';

/** The usage of an org since the first of this month, of both environments together. */
export interface MonthUsage extends WorkDone {
  readonly api_calls: { readonly today: number; readonly month: number };
  /** Records that were created less those that were removed. */
  readonly records_added: number;
}

/** The usage of an org against its plan, for the operator. */
export interface OrgUsage {
  readonly plan: OrgPlan;
  readonly month: MonthUsage;
  /** By environment. */
  readonly records: Readonly<Record<Environment, number>>;
  readonly caps: ShownCaps;
  /** Of all that a plan may limit, whether this one does or not. */
  readonly used: Used;
  readonly limits: readonly LimitUsage[];
}

type OrgUsageDetails = ReplyOf<typeof platformOrgsApi.readPlatformOrg>;
type LimitUsage = OrgUsageDetails['limits'][number];
type Used = OrgUsageDetails['used'];

interface MonthUsageDeps {
  readonly ledger: Pick<Ledger, 'days'>;
  readonly work: Pick<WorkLedger, 'days'>;
  readonly today: () => Day;
}

const environments: readonly Environment[] = ['test', 'prod'];

/** Reads the rows of the days alone, a range of calls and one of work for each environment, and nothing of a workspace. */
export async function monthUsage({ ledger, work, today }: MonthUsageDeps, orgCode: string): Promise<MonthUsage> {
  const day = today();
  const from = firstOfMonth(day);
  const [calls, done] = await Promise.all([
    Promise.all(environments.map((env) => ledger.days(orgCode, env, from))),
    Promise.all(environments.map((env) => work.days(orgCode, env, from))),
  ]);
  let sum: Tally = { calls: 0, records: 0 };
  for (const days of calls) for (const tally of days.values()) sum = addTallies(sum, tally);
  let works = noWork;
  for (const days of done) for (const one of days.values()) works = addWork(works, one);
  const callsToday = calls.reduce((all, days) => all + (days.get(day)?.calls ?? 0), 0);
  return { api_calls: { today: callsToday, month: sum.calls }, records_added: sum.records, ...works };
}

interface OrgUsageDeps extends MonthUsageDeps {
  readonly work: Pick<WorkLedger, 'days' | 'usage'>;
  readonly plans: Pick<Plans, 'of'>;
  readonly caps: Pick<Caps, 'show'>;
  readonly recordsOf: RecordsOf;
}

/** Adds up the records of all workspaces, as the report to the org does. */
export async function orgUsage(
  deps: OrgUsageDeps,
  orgCode: string,
  options: { readonly hasProd: boolean },
): Promise<OrgUsage> {
  const [plan, month, work, shownCaps, counted] = await Promise.all([
    deps.plans.of(orgCode),
    monthUsage(deps, orgCode),
    deps.work.usage(orgCode),
    deps.caps.show(orgCode, options),
    deps.recordsOf(orgCode),
  ]);
  const records = { test: 0, prod: 0 };
  for (const one of counted) records[one.env] += one.records;
  const used: Used = {
    api_calls_per_day: month.api_calls.today,
    api_calls_per_month: month.api_calls.month,
    records: records.test + records.prod,
    ...work,
    entities: mostOf(shownCaps.entities),
    indexes: mostOf(shownCaps.indexes),
    policies: mostOf(shownCaps.policies),
  };
  return { plan, month, records, caps: shownCaps, used, limits: limitUsage(plan.limits, used) };
}

function limitUsage(limits: Limits, used: Used): readonly LimitUsage[] {
  return [...metrics, ...caps, ...workLimits].flatMap((limit_name) => {
    const limit = limits[limit_name];
    if (limit === undefined) return [];
    return [{ limit_name, used: used[limit_name], limit, percent: percentOf(used[limit_name], limit) }];
  });
}

function mostOf({ test, prod }: ShownCaps['entities']): number {
  return Math.max(test, prod ?? 0);
}

function percentOf(used: number, limit: number): number {
  return limit === 0 ? 100 : Math.floor((used * 100) / limit);
}
