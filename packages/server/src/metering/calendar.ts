import { timestamp } from '../lib/clock.ts';

/** A day of UTC, such as `2026-01-31`. Days compare as the texts that they are. */
export type Day = string;

export const dayMilliseconds = 86_400_000;

export function dayOf(time: number): Day {
  return timestamp(time).slice(0, 10);
}

export function startOfDay(day: Day): number {
  return Date.parse(day);
}

/** Also of days that come before: `by` may be negative. */
export function addDays(day: Day, by: number): Day {
  return dayOf(startOfDay(day) + by * dayMilliseconds);
}

/** The first day of the month that a day is in. */
export function firstOfMonth(day: Day): Day {
  return `${day.slice(0, 7)}-01`;
}

/** When the month that a day is in is over. */
export function endOfMonth(day: Day): number {
  const start = new Date(startOfDay(firstOfMonth(day)));
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
}
