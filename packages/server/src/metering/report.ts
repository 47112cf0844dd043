import { invalidInput } from '../lib/problem.ts';
import { addDays, type Day, firstOfMonth } from './calendar.ts';
import type { Environment } from './call-meter.ts';
import { forecast } from './forecast.ts';
import type { Ledger, WorkspaceDay } from './ledger.ts';
import { flagsOf, reachedAlerts, resetsAt, type Standing } from './limits.ts';
import type { PlanGate } from './plan-gate.ts';
import type { Plans } from './plans.ts';
import type { EntityRecords, RecordsOf } from './records-of.ts';
import { addTallies, type Tally } from './usage-rows.ts';

export interface ReportParts {
  readonly ledger: Ledger;
  readonly gate: Pick<PlanGate, 'standing'>;
  readonly plans: Pick<Plans, 'of'>;
  readonly recordsOf: RecordsOf;
  readonly now: () => number;
}

export interface ReportRequest {
  readonly orgCode: string;
  readonly hasProd: boolean;
  /** How many days `by_day` goes back, today included. */
  readonly days: number;
  /** The figure that is to be broken down. */
  readonly explain: string | undefined;
  readonly upgradeUrl: string;
}

const environments = ['test', 'prod'] as const satisfies readonly Environment[];
const workspacesShown = 1000;

/** What an org uses, and how that stands to its plan. */
export async function reportUsage(parts: ReportParts, request: ReportRequest) {
  const { orgCode } = request;
  const explained = readFigure(request.explain);
  const standing = await parts.gate.standing(orgCode);
  const facts = await gather(parts, request, standing);
  const { limits, today } = standing;
  const usage = { ...standing.usage, ...callsOf(facts.all, today), records: total(facts.records) };
  const now: Standing = { limits, today, usage };
  const plan = await parts.plans.of(orgCode);
  return {
    org: orgCode,
    plan: { name: plan.name, limits: plan.limits, updated_at: plan.updated_at, upgrade_url: request.upgradeUrl },
    usage: {
      ...shownUsage(facts.all, facts.records, today),
      by_workspace: byWorkspace(facts, today),
    },
    environments: {
      test: environment(facts, 'test', today),
      prod: request.hasProd ? environment(facts, 'prod', today) : null,
    },
    flags: flagsOf(limits, usage),
    alerts: reachedAlerts(now),
    forecast: forecast(now, facts.all, parts.now()),
    resets_at: resetOf(now),
    windows: { day: resetsAt('api_calls_per_day', today), month: resetsAt('api_calls_per_month', today) },
    ...(explained === undefined ? {} : { explain: explain(explained, facts, today) }),
  };

  function shownUsage(days: ReadonlyMap<Day, Tally>, records: readonly EntityRecords[], last: Day) {
    const { api_calls_per_day, api_calls_per_month } = callsOf(days, last);
    const by_day = lastDays(last, request.days).map((date) => {
      const { calls, records } = addTallies(days.get(date), { calls: 0, records: 0 });
      return { date, calls, records_added: records };
    });
    return {
      api_calls: { today: api_calls_per_day, month: api_calls_per_month, by_day },
      records: { total: total(records), by_entity: byEntity(records) },
    };
  }

  function environment(facts: Facts, env: Environment, last: Day) {
    const records = facts.records.filter((one) => one.env === env);
    return shownUsage(facts.days[env], records, last);
  }
}

interface Facts {
  /** By day, as far back as is shown and the month goes. */
  readonly days: Readonly<Record<Environment, ReadonlyMap<Day, Tally>>>;
  /** Of both environments together. */
  readonly all: ReadonlyMap<Day, Tally>;
  readonly workspaces: readonly (WorkspaceDay & { readonly env: Environment })[];
  readonly records: readonly EntityRecords[];
}

async function gather({ ledger, recordsOf }: ReportParts, request: ReportRequest, { today }: Standing): Promise<Facts> {
  const { orgCode, days } = request;
  const month = firstOfMonth(today);
  const first = [month, addDays(today, 1 - Math.max(days, 7))].toSorted()[0] ?? month;
  const [test, prod] = await Promise.all(environments.map((env) => ledger.days(orgCode, env, first)));
  const workspaces = await Promise.all(
    environments.map(async (env) => (await ledger.workspaceDays(orgCode, env, month)).map((one) => ({ ...one, env }))),
  );
  const all = new Map(test);
  for (const [day, tally] of prod ?? []) all.set(day, addTallies(all.get(day), tally));
  return {
    days: { test: test ?? new Map(), prod: prod ?? new Map() },
    all,
    workspaces: workspaces.flat(),
    records: await recordsOf(orgCode),
  };
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

interface WorkspaceUsage {
  readonly env: Environment;
  /** Null for calls that are in no workspace, such as signing in. */
  readonly tenant_code: string | null;
  readonly api_calls: { readonly today: number; readonly month: number };
  readonly records: { readonly total: number; readonly by_entity: Readonly<Record<string, number>> };
}

/** Those with most calls first; of very many only these. */
function byWorkspace({ workspaces, records }: Facts, today: Day): readonly WorkspaceUsage[] {
  const placeOf = (one: { readonly env: Environment; readonly tenantCode: string }) => `${one.env}#${one.tenantCode}`;
  const calls = Map.groupBy(workspaces, placeOf);
  const counted = Map.groupBy(records, placeOf);
  const places = [...new Set([...calls.keys(), ...counted.keys()])].sort();
  const all = places.map((place): WorkspaceUsage => {
    const [env, code = ''] = place.split('#');
    const days = calls.get(place) ?? [];
    const own = counted.get(place) ?? [];
    const sum = (some: readonly Tally[]) => some.reduce((before, one) => before + one.calls, 0);
    return {
      env: env === 'prod' ? 'prod' : 'test',
      tenant_code: code === '' ? null : code,
      api_calls: { today: sum(days.filter(({ day }) => day === today)), month: sum(days) },
      records: { total: total(own), by_entity: byEntity(own) },
    };
  });
  return all.toSorted((left, right) => right.api_calls.month - left.api_calls.month).slice(0, workspacesShown);
}

/** When the call flags that stand are gone at last; where none stands, when the next window is over. */
function resetOf({ limits, usage, today }: Standing): string | null {
  const { apiLimitExceeded } = flagsOf(limits, usage);
  return resetsAt(apiLimitExceeded ? 'api_calls_per_month' : 'api_calls_per_day', today);
}

const figures = ['api_calls.today', 'api_calls.month', 'records.total'] as const;

type Figure = (typeof figures)[number];

function readFigure(text: string | undefined): Figure | undefined {
  if (text === undefined) return undefined;
  const figure = figures.find((known) => known === text);
  if (figure !== undefined) return figure;
  const message = `\`explain\` must be one of ${figures.map((known) => `\`${known}\``).join(', ')}`;
  throw invalidInput('invalid_request', [{ pointer: '/explain', code: 'wrong_type', message }]);
}

/** The parts that a figure is the sum of. */
function explain(figure: Figure, { workspaces, records }: Facts, today: Day) {
  const parts =
    figure === 'records.total'
      ? records.map(({ env, tenantCode, entity, records: value }) => ({ env, tenant_code: tenantCode, entity, value }))
      : workspaces
          .filter(({ day }) => figure === 'api_calls.month' || day === today)
          .filter(({ calls }) => calls > 0)
          .map(({ env, day, tenantCode, calls }) => {
            const tenant_code = tenantCode === '' ? null : tenantCode;
            return { env, date: day, tenant_code, value: calls };
          });
  return { figure, value: parts.reduce((sum, { value }) => sum + value, 0), parts };
}
