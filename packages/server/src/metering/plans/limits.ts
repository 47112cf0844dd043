import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type Limits, type Metric, metrics, type WorkLimit, workLimits } from '../plans.ts';
import { type Day, dayMilliseconds, endOfMonth, startOfDay } from '../usage-rows.ts';

/** The present usage of an org, by the names of its limits. */
export type Usage = Readonly<Record<Metric, number>>;

/** Of automation, today. */
export type WorkUsage = Readonly<Record<WorkLimit, number>>;

/** The limits that are used up in a window, or in all. */
export type Limited = Metric | WorkLimit;

export const windows = {
  api_calls_per_day: 'day',
  api_calls_per_month: 'month',
  records: 'total',
  runs_per_day: 'day',
  deliveries_per_day: 'day',
  script_seconds_per_day: 'day',
  mails_per_day: 'day',
} as const satisfies Readonly<Record<Limited, string>>;

/** A flag is set once a limit is reached: from then on it gates every write. */
export function flagsOf(limits: Limits, usage: Usage) {
  return {
    apiLimitExceeded: isReached('api_calls_per_month', limits, usage),
    dailyLimitExceeded: isReached('api_calls_per_day', limits, usage),
    recordLimitExceeded: isReached('records', limits, usage),
  };
}

/** The first limit that is reached; of several the limit that lasts. */
export function reachedMetric(limits: Limits, usage: Usage): Metric | undefined {
  const order: readonly Metric[] = ['records', 'api_calls_per_month', 'api_calls_per_day'];
  return order.find((metric) => isReached(metric, limits, usage));
}

export function isReached<Name extends Limited>(
  metric: Name,
  limits: Limits,
  usage: Readonly<Record<Name, number>>,
): boolean {
  const limit = limits[metric];
  return limit !== undefined && usage[metric] >= limit;
}

/** The time at which a window is over and counting starts again; null for a metric that has no window. */
export function resetsAt(metric: Limited, today: Day): string | null {
  const window = windows[metric];
  if (window === 'total') return null;
  return timestamp(window === 'day' ? startOfDay(today) + dayMilliseconds : endOfMonth(today));
}

export interface QuotaUsage {
  readonly limits: Limits;
  readonly usage: Usage;
  readonly today: Day;
}

/** The shortest wait before a retry: there is room when records are removed. */
const recordsRetrySeconds = 3600;

/**
 * The refusal of a write that meets a limit. When it is sent, the upgrade address is filled in.
 * @param wanted the number with the additions of the write, where the limit is not reached without it.
 */
export function limitExceeded(metric: Metric, quota: QuotaUsage, now: number, wanted?: number): Problem {
  const { code, message, details } = exceeded(metric, { ...quota, used: quota.usage[metric], wanted }, now);
  return new Problem(code, message, { ...details, flags: flagsOf(quota.limits, quota.usage) });
}

/** The refusal of work where automation has used up its day: it raises no flag, and closes no write. */
export function workExceeded(
  metric: WorkLimit,
  { limits, usage, today }: { readonly limits: Limits; readonly usage: WorkUsage; readonly today: Day },
  now: number,
): Problem {
  return exceeded(metric, { limits, today, used: usage[metric] }, now);
}

function exceeded(
  metric: Limited,
  {
    limits,
    today,
    used,
    wanted,
  }: { readonly limits: Limits; readonly today: Day; readonly used: number; readonly wanted?: number | undefined },
  now: number,
): Problem {
  const limit = limits[metric] ?? 0;
  const resets_at = resetsAt(metric, today);
  const seconds = resets_at === null ? recordsRetrySeconds : Math.ceil((Date.parse(resets_at) - now) / 1000);
  const words = metricWords[metric];
  const message =
    wanted === undefined
      ? `the plan’s limit of ${limit} ${words} is reached`
      : `the plan has room for ${limit} ${words}: there are ${used}, and this would make them ${wanted}`;
  return new Problem('plan_limit_exceeded', message, {
    metric,
    used,
    limit,
    window: windows[metric],
    resets_at,
    retry_after_seconds: Math.max(1, seconds),
  });
}

export const metricWords = {
  api_calls_per_day: 'calls a day',
  api_calls_per_month: 'calls a month',
  records: 'records',
  runs_per_day: 'runs a day',
  deliveries_per_day: 'deliveries a day',
  script_seconds_per_day: 'seconds of scripts a day',
  mails_per_day: 'mails a day',
} as const satisfies Readonly<Record<Limited, string>>;

/** The watched values of an org: the limits for its writes, and those for its automation. */
export interface WatchedUsage {
  readonly limits: Limits;
  readonly usage: Usage & WorkUsage;
  readonly today: Day;
}

/** Of the limits of which such a share is reached, the highest reached one. @param percents the lowest first. */
export function reachedAlerts({ limits, usage }: WatchedUsage, percents: readonly number[]): readonly Alert[] {
  return [...metrics, ...workLimits].flatMap((metric) => {
    const limit = limits[metric];
    if (limit === undefined) return [];
    const used = usage[metric];
    const percent = percents.findLast((share) => used * 100 >= limit * share);
    return percent === undefined ? [] : [{ metric, percent, used, limit }];
  });
}

export interface Alert {
  readonly metric: Limited;
  readonly percent: number;
  readonly used: number;
  readonly limit: number;
}
