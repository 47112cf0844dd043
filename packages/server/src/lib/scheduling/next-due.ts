/** When a cron pattern is due. The library computes times alone: none of its timers runs. */
import { Cron } from 'croner';

/** Five fields, from minutes to weekdays, in a time zone of the IANA data base. */
export interface CronTime {
  readonly cron: string;
  readonly timezone: string;
}

/** What is wrong with it, by its member. A pattern that never comes is wrong too. */
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

/** What libraries have beside these is not taken: it takes long to search. */
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
export function nextDue({ cron, timezone }: CronTime, after: number): number | undefined {
  const times = new Cron(cron, { timezone, paused: true, mode: '5-part' });
  // Within an hour that a clock shows twice, what the library gives may lie in the first of both.
  for (let from = after; from <= after + repeatedMilliseconds; from += stepMilliseconds) {
    const next = times.nextRun(new Date(from))?.getTime();
    if (next === undefined || next > after) return next;
  }
  return undefined;
}

const stepMilliseconds = 60_000;
/** Clocks are set back by three hours at most. */
const repeatedMilliseconds = 4 * 3_600_000;

/** The latest due time up to `now`. @param due a due time that is not after it. */
export function latestDue(time: CronTime, due: number, now: number): number {
  let latest = due;
  // What is due after a moment is never earlier than what is due after an earlier one.
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
