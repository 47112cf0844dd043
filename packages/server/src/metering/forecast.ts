import { addDays, type Day, dayMilliseconds, endOfMonth, startOfDay } from './calendar.ts';
import { isReached, type QuotaUsage } from './plans/limits.ts';
import type { Metric } from './plans/plan.ts';
import type { Tally } from './usage-rows.ts';

/** The day on which a limit is reached if things go on as they do; null where it is not in sight. */
export type Forecast = Readonly<Record<Metric, Day | null>>;

const daysLookedBack = 7;
const daysLookedAhead = 3650;
/** Early in a day one call would stand for very many. */
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
 * What comes a day, by the last week, or by as much of it as there is. What is removed in the background is no tally's:
 * of records no more can have come and stayed than there are.
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
