import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type Day, dayMilliseconds, endOfMonth, startOfDay } from '../calendar.ts';
import { type Limits, type Metric, metrics } from './plan.ts';

/** What an org uses by now, in the words of its limits. */
export type Usage = Readonly<Record<Metric, number>>;

export interface Flags {
  readonly apiLimitExceeded: boolean;
  readonly dailyLimitExceeded: boolean;
  readonly recordLimitExceeded: boolean;
}

export const windows = { api_calls_per_day: 'day', api_calls_per_month: 'month', records: 'total' } as const;

/** A flag stands from the moment on that a limit is reached: from then on it gates every write. */
export function flagsOf(limits: Limits, usage: Usage): Flags {
  return {
    apiLimitExceeded: isReached('api_calls_per_month', limits, usage),
    dailyLimitExceeded: isReached('api_calls_per_day', limits, usage),
    recordLimitExceeded: isReached('records', limits, usage),
  };
}

/** The first limit that is reached, of several the one that lasts. */
export function reachedMetric(limits: Limits, usage: Usage): Metric | undefined {
  const order: readonly Metric[] = ['records', 'api_calls_per_month', 'api_calls_per_day'];
  return order.find((metric) => isReached(metric, limits, usage));
}

export function isReached(metric: Metric, limits: Limits, usage: Usage): boolean {
  const limit = limits[metric];
  return limit !== undefined && usage[metric] >= limit;
}

/** When a window is over and counting starts again; null for what does not start again. */
export function resetsAt(metric: Metric, today: Day): string | null {
  if (metric === 'records') return null;
  const end = metric === 'api_calls_per_day' ? startOfDay(today) + dayMilliseconds : endOfMonth(today);
  return timestamp(end);
}

export interface QuotaUsage {
  readonly limits: Limits;
  readonly usage: Usage;
  readonly today: Day;
}

/** The shortest wait before a retry: there is room when records are removed. */
const recordsRetrySeconds = 3600;

/**
 * What a write is refused with that comes upon a limit. When it is sent, the upgrade address is filled in.
 * @param wanted how many there would be with what the write adds, where the limit is not reached without it.
 */
export function limitExceeded(
  metric: Metric,
  { limits, usage, today }: QuotaUsage,
  now: number,
  wanted?: number,
): Problem {
  const used = usage[metric];
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
    flags: flagsOf(limits, usage),
    retry_after_seconds: Math.max(1, seconds),
  });
}

export const metricWords = {
  api_calls_per_day: 'calls a day',
  api_calls_per_month: 'calls a month',
  records: 'records',
} as const;

/** Of the shares of a limit that raise an alert, the highest reached one. */
function reachedPercent(metric: Metric, { limits, usage }: QuotaUsage): AlertPercent | undefined {
  const limit = limits[metric];
  if (limit === undefined) return undefined;
  return alertPercents.findLast((percent) => usage[metric] * 100 >= limit * percent);
}

export const alertPercents = [80, 95, 100] as const;

export type AlertPercent = (typeof alertPercents)[number];

/** The metrics of which such a share is reached. */
export function reachedAlerts(quota: QuotaUsage): readonly Alert[] {
  return metrics.flatMap((metric) => {
    const percent = reachedPercent(metric, quota);
    if (percent === undefined) return [];
    return [{ metric, percent, used: quota.usage[metric], limit: quota.limits[metric] ?? 0 }];
  });
}

export interface Alert {
  readonly metric: Metric;
  readonly percent: AlertPercent;
  readonly used: number;
  readonly limit: number;
}
