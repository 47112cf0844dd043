/** The due times of a cron pattern. The library computes times alone: none of its timers runs. */
import { Cron } from 'croner';
import { timeZone } from '../locales.ts';

/** Five fields, from minutes to weekdays, in a time zone of the IANA data base. */
export interface CronTime {
  readonly cron: string;
  readonly timezone: string;
}

/** The mistake in a cron time, by its member. A pattern that never comes is wrong too. */
export function cronMistake(time: CronTime): { member: keyof CronTime; message: string } | undefined {
  if (!isTimezone(time.timezone)) return { member: 'timezone', message: 'the time zone is not known' };
  if (!hasFiveFields(time.cron)) return { member: 'cron', message: fields };
  try {
    return nextDue(time, someTime) === undefined ? { member: 'cron', message: noTime } : undefined;
  } catch (error) {
    // The library goes from year to year by calling itself.
    if (error instanceof RangeError) return { member: 'cron', message: noTime };
    return {
      member: 'cron',
      message: `the pattern is not valid: ${error instanceof Error ? error.message.replace('CronPattern: ', '') : ''}`,
    };
  }
}

const noTime = 'no time fits the pattern';

/** The years repeat from each. */
const someTime = Date.UTC(2024, 0, 1);

/** Other syntax of libraries is not taken: it takes long to search. */
const choice = /^(?:\*|\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?(?:\/\d{1,2})?$/i;

function hasFiveFields(cron: string): boolean {
  const parts = cron.split(' ');
  return parts.length === 5 && parts.every((part) => part.split(',').every((one) => choice.test(one)));
}

const fields =
  'the pattern has five fields with a space between: minute, hour, day of the month, month, day of the week; each is a list of `*`, values, ranges `1-5` and steps `*/15`';

/** By name, or `UTC`: an offset such as `+01:00` is no time zone. */
function isTimezone(timezone: string): boolean {
  if (!/^[A-Za-z]/.test(timezone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}

/**
 * The first due time after another, both in milliseconds since the epoch; undefined where there is none. A time that a
 * clock skips in spring is due when it has skipped it, and a time that it shows twice in autumn is due the first time.
 */
export function nextDue(time: CronTime, after: number): number | undefined {
  for (let from = after; ; ) {
    const next = nextFound(time, from);
    if (next === undefined) return undefined;
    const change = changeBefore(time.timezone, next);
    const first = dueAround(time, change, next).find((due) => due > after);
    if (first !== undefined) return first;
    from = next;
  }
}

/** The due times that a time of the library means, the earliest first. */
function dueAround(time: CronTime, change: ClockChange | undefined, next: number): readonly number[] {
  if (change === undefined) return [next];
  return change.ahead > 0 ? afterLeap(time, change, next) : [firstShown(change, next)];
}

function nextFound({ cron, timezone }: CronTime, after: number): number | undefined {
  const times = new Cron(cron, { timezone, paused: true, mode: '5-part' });
  // Within an hour that a clock shows twice, what the library gives may lie in the first of both.
  for (let from = after; from <= after + repeatedMilliseconds; from += minute) {
    const next = times.nextRun(new Date(from))?.getTime();
    if (next === undefined || next > after) return next;
  }
  return undefined;
}

const minute = 60_000;
/** Clocks are set back by three hours at most. */
const repeatedMilliseconds = 4 * 3_600_000;
/** Samoa skipped a day. */
const leapMilliseconds = 24 * 3_600_000;

/** A clock that is set forward or back. */
interface ClockChange {
  readonly at: number;
  /** The extent to which the clock is ahead of UTC from then on. */
  readonly offset: number;
  /** The extent to which it is set forward; negative where it is set back. */
  readonly ahead: number;
}

/** The last change up to a time, as far back as it may concern what the library gives for this time. */
function changeBefore(timezone: string, time: number): ClockChange | undefined {
  const offsetAt = timeZone(timezone);
  if (offsetAt === undefined) return undefined;
  let [before, at] = [time - leapMilliseconds - minute, time];
  const offset = offsetAt(at);
  const ahead = offset - offsetAt(before);
  if (ahead === 0) return undefined;
  while (at - before > minute) {
    const middle = before + Math.floor((at - before) / 2 / minute) * minute;
    if (offsetAt(middle) === offset) at = middle;
    else before = middle;
  }
  return { at, offset, ahead };
}

/**
 * The times that are due at a leap and at what the library gives. For a time that the clock skips it gives one as late after
 * the leap, which the pattern may not have.
 */
function afterLeap(time: CronTime, { at, offset, ahead }: ClockChange, next: number): readonly number[] {
  const shown = next + offset;
  return [
    ...(isDueWithin(time, at + offset - ahead, at + offset) ? [at] : []),
    ...(isDueWithin(time, shown, shown + minute) ? [next] : []),
  ];
}

/** Of a time that the clock shows twice, the library may give the second showing. */
function firstShown({ at, ahead }: ClockChange, next: number): number {
  return next < at - ahead ? next + ahead : next;
}

/** Whether the pattern has a time from one until before another, as a clock shows it. */
function isDueWithin({ cron }: CronTime, from: number, until: number): boolean {
  const next = new Cron(cron, { timezone: 'UTC', paused: true, mode: '5-part' }).nextRun(new Date(from - 1));
  return next !== null && next.getTime() < until;
}

/** The latest due time up to `now`. @param due a due time that is not after it. */
export function latestDue(time: CronTime, due: number, now: number): number {
  let latest = due;
  // The due time after a moment is never earlier than that after an earlier one.
  for (let from = due, to = now; from <= to; ) {
    const middle = from + Math.floor((to - from) / 2);
    const next = nextDue(time, middle);
    if (next === undefined || next > now) to = middle - 1;
    else {
      latest = next;
      from = next;
    }
  }
  return latest;
}
