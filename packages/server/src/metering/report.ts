import type { usageApi } from '@freehold/contract/management/usage';
import type { ReplyOf } from '@freehold/contract/route';
import type { Environment } from '../tenancy/port.ts';
import type { createAlerts } from './alerts.ts';
import type { EntityRecords, Ledger, RecordsOf } from './ledger.ts';
import { type Figure, PartsOfUsage } from './parts-of-usage.ts';
import { flagsOf, isReached, type QuotaUsage, resetsAt } from './plans/limits.ts';
import type { PlanGate } from './plans/plan-gate.ts';
import type { Metric, Plans } from './plans.ts';
import {
  addDays,
  addTallies,
  addWork,
  type Day,
  dayMilliseconds,
  endOfMonth,
  firstOfMonth,
  noWork,
  startOfDay,
  type Tally,
  type WorkDone,
} from './usage-rows.ts';
import { type WorkLedger, workUsage } from './work-units/work-ledger.ts';

interface ReportDeps {
  readonly ledger: Ledger;
  readonly work: Pick<WorkLedger, 'days'>;
  readonly gate: Pick<PlanGate, 'quota'>;
  readonly plans: Pick<Plans, 'of'>;
  readonly alerts: Pick<ReturnType<typeof createAlerts>, 'show'>;
  readonly recordsOf: RecordsOf;
  readonly now: () => number;
}

export interface ReportRequest {
  readonly orgCode: string;
  readonly hasProd: boolean;
  /** The number of days that `by_day` goes back, today included. */
  readonly days: number;
  /** The figure that is to be broken down. */
  readonly explain: Figure | undefined;
  readonly upgradeUrl: string;
}

const environments = ['test', 'prod'] as const satisfies readonly Environment[];
const workspacesShown = 1000;
const noTally: Tally = { calls: 0, records: 0 };

/** The usage of an org, compared with its plan. */
export async function reportUsage(deps: ReportDeps, request: ReportRequest) {
  const { orgCode } = request;
  const quota = await deps.gate.quota(orgCode);
  const facts = await gather(deps, request, quota);
  const { limits, today } = quota;
  const usage = { ...quota.usage, ...callsOf(facts.all, today), records: total(facts.records) };
  const now: QuotaUsage = { limits, today, usage };
  const plan = await deps.plans.of(orgCode);
  return {
    org: orgCode,
    plan: { name: plan.name, limits: plan.limits, updated_at: plan.updated_at, upgrade_url: request.upgradeUrl },
    usage: {
      ...shownUsage(facts.all, facts.records, today),
      by_workspace: byWorkspace(facts),
    },
    environments: {
      test: environment(facts, 'test', today),
      prod: request.hasProd ? environment(facts, 'prod', today) : null,
    },
    flags: flagsOf(limits, usage),
    work: { today: work(today), by_day: lastDays(today, request.days).map((date) => ({ date, ...work(date) })) },
    alerts: await deps.alerts.show(orgCode, { ...now, usage: { ...usage, ...workUsage(work(today)) } }),
    forecast: forecast(now, facts.all, deps.now()),
    resets_at: resetOf(now),
    windows: { day: resetsAt('api_calls_per_day', today), month: resetsAt('api_calls_per_month', today) },
    ...(request.explain === undefined ? {} : { explain: facts.parts.explained() }),
  };

  function work(day: Day): WorkDone {
    return environments.reduce((sum, env) => addWork(sum, facts.work[env].get(day) ?? noWork), noWork);
  }

  function shownUsage(days: ReadonlyMap<Day, Tally>, records: readonly EntityRecords[], last: Day) {
    const { api_calls_per_day, api_calls_per_month } = callsOf(days, last);
    const by_day = lastDays(last, request.days).map((date) => {
      const { calls, records } = addTallies(days.get(date), noTally);
      return { date, calls, records_added: records };
    });
    return {
      api_calls: { today: api_calls_per_day, month: api_calls_per_month, by_day },
      records: { total: total(records), by_entity: byEntity(records) },
    };
  }

  function environment(facts: UsageFacts, env: Environment, last: Day) {
    const records = facts.records.filter((one) => one.env === env);
    return shownUsage(facts.days[env], records, last);
  }
}

interface UsageFacts {
  /** By day, as far back as is shown and the month goes. */
  readonly days: Readonly<Record<Environment, ReadonlyMap<Day, Tally>>>;
  /** Of both environments together. */
  readonly all: ReadonlyMap<Day, Tally>;
  readonly parts: PartsOfUsage;
  readonly work: Readonly<Record<Environment, ReadonlyMap<Day, WorkDone>>>;
  readonly records: readonly EntityRecords[];
}

async function gather(
  { ledger, work, recordsOf }: ReportDeps,
  request: ReportRequest,
  { today }: QuotaUsage,
): Promise<UsageFacts> {
  const { orgCode, days, explain } = request;
  const month = firstOfMonth(today);
  const first = [month, addDays(today, 1 - Math.max(days, 7))].toSorted()[0] ?? month;
  const daysOf = async (env: Environment) => new Map(await ledger.days(orgCode, env, first));
  const [test, prod] = await Promise.all([daysOf('test'), daysOf('prod')]);
  const byDay = { test, prod };
  const parts = new PartsOfUsage(today, explain);
  const unfolded = addDays(today, -1);
  for (const env of environments)
    for await (const read of ledger.workspaceDays(orgCode, env, month)) {
      parts.noteDay(env, read);
      // Calls go on meanwhile: the total of a day that is still counted is the sum of its workspaces.
      if (read.day >= unfolded) byDay[env].set(read.day, [...read.workspaces.values()].reduce(addTallies, noTally));
    }
  const all = new Map(test);
  for (const [day, tally] of prod) all.set(day, addTallies(all.get(day), tally));
  const records = await recordsOf(orgCode);
  parts.noteRecords(records);
  const [testWork, prodWork] = await Promise.all([
    work.days(orgCode, 'test', first),
    work.days(orgCode, 'prod', first),
  ]);
  const byEnvironment = { test: testWork, prod: prodWork };
  for (const env of environments) parts.noteWork(env, byEnvironment[env].get(today) ?? noWork);
  return { days: byDay, all, parts, records, work: byEnvironment };
}

function callsOf(days: ReadonlyMap<Day, Tally>, today: Day) {
  const month = firstOfMonth(today);
  let calls = 0;
  for (const [day, tally] of days) if (day >= month && day <= today) calls += tally.calls;
  return { api_calls_per_day: days.get(today)?.calls ?? 0, api_calls_per_month: calls };
}

function lastDays(today: Day, count: number): readonly Day[] {
  return Array.from({ length: count }, (_, index) => addDays(today, index + 1 - count));
}

function total(records: readonly EntityRecords[]): number {
  return records.reduce((sum, one) => sum + one.records, 0);
}

function byEntity(records: readonly EntityRecords[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const { entity, records: count } of records) sums.set(entity, (sums.get(entity) ?? 0) + count);
  return Object.fromEntries([...sums].sort());
}

type WorkspaceUsage = ReplyOf<typeof usageApi.showUsage>['usage']['by_workspace'][number];

/** Those with most calls first; of very many only these. */
function byWorkspace({ parts, records }: UsageFacts): readonly WorkspaceUsage[] {
  const placeOf = (one: { readonly env: Environment; readonly tenantCode: string }) => `${one.env}#${one.tenantCode}`;
  const calls = new Map(parts.calls().map((one) => [placeOf(one), one]));
  const counted = Map.groupBy(records, placeOf);
  const places = [...new Set([...calls.keys(), ...counted.keys()])].sort();
  const callsIn = (place: string) => calls.get(place)?.month ?? 0;
  const shown = places.toSorted((left, right) => callsIn(right) - callsIn(left)).slice(0, workspacesShown);
  return shown.map((place): WorkspaceUsage => {
    const [env, code = ''] = place.split('#');
    const own = counted.get(place) ?? [];
    return {
      env: env === 'prod' ? 'prod' : 'test',
      tenant_code: code === '' ? null : code,
      api_calls: { today: calls.get(place)?.today ?? 0, month: callsIn(place) },
      records: { total: total(own), by_entity: byEntity(own) },
    };
  });
}

/** The time at which the set call flags end; without one, the end of the current window. */
function resetOf({ limits, usage, today }: QuotaUsage): string | null {
  const { apiLimitExceeded } = flagsOf(limits, usage);
  return resetsAt(apiLimitExceeded ? 'api_calls_per_month' : 'api_calls_per_day', today);
}

/** The day on which a limit is reached if things go on as they do; null where it is not in sight. */
type Forecast = Readonly<Record<Metric, Day | null>>;

const daysLookedBack = 7;
const daysLookedAhead = 3650;
/** Early in a day one call would represent very many. */
const shareOfDayMin = 1 / 24;

/** @param days what was counted by day, of the last week at least. */
export function forecast(quota: QuotaUsage, days: ReadonlyMap<Day, Tally>, now: number): Forecast {
  const { limits, usage, today } = quota;
  const share = Math.min(1, Math.max(shareOfDayMin, (now - startOfDay(today)) / dayMilliseconds));
  const pace = paceOf(days, today, share, usage.records);
  const ahead = (metric: Metric, perDay: number, daysMax: number): Day | null => {
    const limit = limits[metric];
    if (limit === undefined) return null;
    if (isReached(metric, limits, usage)) return today;
    const left = perDay <= 0 ? Number.POSITIVE_INFINITY : Math.ceil((limit - usage[metric]) / perDay + share) - 1;
    return left < daysMax ? addDays(today, left) : null;
  };
  const daysOfMonth = (endOfMonth(today) - startOfDay(today)) / dayMilliseconds;
  return {
    api_calls_per_day: ahead('api_calls_per_day', usage.api_calls_per_day / share, 1),
    api_calls_per_month: ahead('api_calls_per_month', pace.calls, daysOfMonth),
    records: ahead('records', pace.records, daysLookedAhead),
  };
}

/**
 * The growth a day, by the last week or as much of it as there is. Records removed in the background are no tally's:
 * no more of them can have been added and kept than there are.
 */
function paceOf(days: ReadonlyMap<Day, Tally>, today: Day, share: number, recordsNow: number): Tally {
  const looked = Array.from({ length: daysLookedBack }, (_, back) => addDays(today, -back));
  const first = looked.findLastIndex((day) => days.has(day));
  let [calls, records] = [0, 0];
  for (const day of looked) {
    calls += days.get(day)?.calls ?? 0;
    records += days.get(day)?.records ?? 0;
  }
  const length = Math.max(0, first) + share;
  return { calls: calls / length, records: Math.min(records, recordsNow) / length };
}
