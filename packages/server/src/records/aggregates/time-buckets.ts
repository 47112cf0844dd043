/** Hours, days, weeks, months, quarters and years of a time zone, as parts of the order in which times are stored. */
import type { OffsetAt } from '../../lib/locales.ts';

export const units = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type TimeUnit = (typeof units)[number];

/** From `start` on, before `end`; both as stored values are. Without `end` it is the last bucket of any stored value. */
export interface Bucket {
  readonly start: string;
  readonly end: string | undefined;
  readonly label: string;
}

export interface BucketScale {
  readonly unit: TimeUnit;
  /** That of the values: days of the calendar, or times in UTC. */
  readonly type: 'date' | 'datetime';
  /** Of days, which have no zone, 0 at all times. */
  readonly offsetAt: OffsetAt;
}

/** The buckets that were asked for, each worked out once. */
export class Buckets {
  readonly #scale: BucketScale;
  /** Ascending. */
  readonly #known: Bucket[] = [];

  constructor(scale: BucketScale) {
    this.#scale = scale;
  }

  get size(): number {
    return this.#known.length;
  }

  /** @param value of the type, as it is stored. */
  of(value: string): Bucket {
    const at = this.#placeBehind(value);
    const known = this.#known[at - 1];
    if (known !== undefined && (known.end === undefined || value < known.end)) return known;
    const made = bucketAt(this.#scale, timeOf(this.#scale, value));
    this.#known.splice(at, 0, made);
    return made;
  }

  starting(start: string): Bucket | undefined {
    const known = this.#known[this.#placeBehind(start) - 1];
    return known?.start === start ? known : undefined;
  }

  /** Those from the one of the least value to that of the greatest, as long as there are no more than `max`. */
  between(least: string, greatest: string, max: number): readonly Bucket[] | undefined {
    const found: Bucket[] = [];
    for (let value: string | undefined = least; value !== undefined && value <= greatest; ) {
      if (found.length === max) return undefined;
      const bucket = this.of(value);
      found.push(bucket);
      value = bucket.end;
    }
    return found;
  }

  #placeBehind(value: string): number {
    let low = 0;
    for (let high = this.#known.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#known[middle]?.start ?? '') <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

function timeOf({ type }: BucketScale, value: string): number {
  return Date.parse(type === 'datetime' ? value : `${value}T00:00:00.000Z`);
}

/** In the years that stored values can have, where texts have the order of times. */
const [first, last] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

function bucketAt(scale: BucketScale, time: number): Bucket {
  const { from, to, label } = scale.unit === 'hour' ? hourAt(scale, time) : spanAt(scale, scale.unit, time);
  const text = (at: number): string => {
    const whole = new Date(Math.max(at, first)).toISOString();
    return scale.type === 'date' ? whole.slice(0, 10) : whole;
  };
  return { start: text(from), end: to > last ? undefined : text(to), label };
}

/** Milliseconds since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** A local hour with one offset: where clocks are turned within an hour, it has two parts, each a bucket of its own. */
function hourAt({ offsetAt }: BucketScale, time: number): Span {
  const offset = offsetAt(time);
  const nominal = floorTo(time + offset, hour) - offset;
  const isChanged = (at: number): boolean => offsetAt(at) !== offset;
  const from = isChanged(nominal) ? firstWhere(nominal, time, (at) => !isChanged(at)) : nominal;
  const end = nominal + hour;
  const to = isChanged(end - 1) ? firstWhere(time, end - 1, isChanged) : end;
  // Years beyond 9999 and before 0 have more characters.
  const clock = new Date(from + offset).toISOString().replace(/^.*T|(?::00)?\.\d+Z$/g, '');
  return { from, to, label: `${dayText(from + offset)}T${clock}${offsetText(offset)}` };
}

type LongUnit = Exclude<TimeUnit, 'hour'>;

function spanAt({ offsetAt }: BucketScale, unit: LongUnit, time: number): Span {
  let local = startOf(unit, time + offsetAt(time));
  let from = instantOf(offsetAt, local);
  for (;;) {
    const next = startBehind(unit, local);
    const to = instantOf(offsetAt, next);
    // Clocks that are turned back over midnight show a time of the day before, after a day has begun.
    if (time < to) return { from, to, label: labelOf(unit, local) };
    local = next;
    from = to;
  }
}

/** The first time at which local clocks show a time, or where they skip it, the first behind it. */
function instantOf(offsetAt: OffsetAt, local: number): number {
  const [before, after] = [offsetAt(local - day), offsetAt(local + day)];
  const shown = [local - before, local - after].filter((time) => time + offsetAt(time) === local);
  if (shown.length > 0) return Math.min(...shown);
  return firstWhere(local - after, local - before, (time) => offsetAt(time) === after);
}

/** @param holds of no time up to one, and of all from there on; of `to` it holds. */
function firstWhere(from: number, to: number, holds: (time: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Local times, as if they were in UTC.

function startOf(unit: LongUnit, local: number): number {
  const date = new Date(local);
  switch (unit) {
    case 'day':
      return floorTo(local, day);
    case 'week':
      // The epoch is a Thursday.
      return floorTo(local + 3 * day, 7 * day) - 3 * day;
    case 'month':
      return monthStart(date.getUTCFullYear(), date.getUTCMonth());
    case 'quarter':
      return monthStart(date.getUTCFullYear(), date.getUTCMonth() - (date.getUTCMonth() % 3));
    case 'year':
      return monthStart(date.getUTCFullYear(), 0);
  }
}

const monthsOf = { month: 1, quarter: 3, year: 12 } as const;

/** @param start of a unit. */
function startBehind(unit: LongUnit, start: number): number {
  if (unit === 'day') return start + day;
  if (unit === 'week') return start + 7 * day;
  const date = new Date(start);
  return monthStart(date.getUTCFullYear(), date.getUTCMonth() + monthsOf[unit]);
}

/** `Date.UTC` takes the years from 0 to 99 for those of the twentieth century. */
function monthStart(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

function labelOf(unit: LongUnit, start: number): string {
  const date = new Date(start);
  switch (unit) {
    case 'day':
      return dayText(start);
    case 'week': {
      // The year of a week is that of its Thursday: ISO 8601.
      const thursday = new Date(start + 3 * day);
      const year = thursday.getUTCFullYear();
      const week = Math.floor((thursday.getTime() - monthStart(year, 0)) / (7 * day)) + 1;
      return `${yearText(year)}-W${twoDigits(week)}`;
    }
    case 'month':
      return `${yearText(date.getUTCFullYear())}-${twoDigits(date.getUTCMonth() + 1)}`;
    case 'quarter':
      return `${yearText(date.getUTCFullYear())}-Q${date.getUTCMonth() / 3 + 1}`;
    case 'year':
      return yearText(date.getUTCFullYear());
  }
}

function dayText(local: number): string {
  const date = new Date(local);
  const [month, dayOfMonth] = [date.getUTCMonth() + 1, date.getUTCDate()].map(twoDigits);
  return `${yearText(date.getUTCFullYear())}-${month}-${dayOfMonth}`;
}

function yearText(year: number): string {
  return (year < 0 ? '-' : '') + String(Math.abs(year)).padStart(4, '0');
}

/** With seconds where a zone has them, as many had before 1972. */
function offsetText(offset: number): string {
  const size = Math.abs(offset);
  const [hours, minutes, seconds] = [size / hour, (size % hour) / minute, (size % minute) / second].map((one) =>
    twoDigits(Math.floor(one)),
  );
  return `${offset < 0 ? '-' : '+'}${hours}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function floorTo(time: number, step: number): number {
  return Math.floor(time / step) * step;
}
