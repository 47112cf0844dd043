/** A cron pattern of five fields as a person says it. */

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
] as const;

/** A part of a field: values from `from` to `to`, each `step`th of them. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

interface Field {
  readonly least: number;
  readonly greatest: number;
  /** The names that a pattern may have in place of the numbers, in three letters, beginning with `least`. */
  readonly names: readonly string[];
}

const fields = {
  minute: { least: 0, greatest: 59, names: [] },
  hour: { least: 0, greatest: 23, names: [] },
  day: { least: 1, greatest: 31, names: [] },
  month: { least: 1, greatest: 12, names: months.map(shortOf) },
  weekday: { least: 0, greatest: 7, names: days.map(shortOf) },
} satisfies Readonly<Record<string, Field>>;

function shortOf(name: string): string {
  return name.slice(0, 3).toLowerCase();
}

/** Undefined for a pattern that is none. */
export function cronWords(cron: string): string | undefined {
  const texts = cron.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = Object.values(fields).map((field, at) => parse(texts[at] ?? '', field));
  const isWhole = texts.length === 5;
  if (!isWhole || !minute || !hour || !day || !month || !weekday) return undefined;
  const on = dayWords(day, weekday);
  const of = isAll(month, fields.month) ? '' : ` in ${listed(month, (value) => months[value - 1] ?? '')}`;
  const text = `${timeWords(minute, hour)}${on}${of}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function parse(text: string, field: Field): readonly Part[] | undefined {
  const parts = text
    .toLowerCase()
    .split(',')
    .map((part) => parsePart(part, field));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function parsePart(text: string, { least, greatest, names }: Field): Part | undefined {
  const [, range = '', steps] = /^([^/]+)(?:\/(\d+))?$/.exec(text) ?? [];
  const step = steps === undefined ? 1 : Number(steps);
  const value = (written: string | undefined): number => {
    if (written === undefined || written === '') return Number.NaN;
    const named = names.indexOf(written);
    return named >= 0 ? named + least : /^\d+$/.test(written) ? Number(written) : Number.NaN;
  };
  if (range === '*') return step > 0 ? { from: least, to: greatest, step } : undefined;
  const [first, last, ...others] = range.split('-');
  const from = value(first);
  const to = last === undefined ? (steps === undefined ? from : greatest) : value(last);
  const isRight = others.length === 0 && from >= least && to <= greatest && from <= to && step > 0;
  return isRight ? { from, to, step } : undefined;
}

function isAll(parts: readonly Part[], { least, greatest }: Field): boolean {
  return parts.some(({ from, to, step }) => from === least && to === greatest && step === 1);
}

function timeWords(minute: readonly Part[], hour: readonly Part[]): string {
  const minutes = valuesOf(minute);
  const hours = valuesOf(hour);
  const every = stepOf(minute, fields.minute);
  if (isAll(hour, fields.hour)) {
    if (isAll(minute, fields.minute)) return 'every minute';
    if (every !== undefined) return `every ${every} minutes`;
    return `${minuteWords(minute)} of every hour`;
  }
  const times = hours.flatMap((at) => minutes.map((past) => clock(at, past)));
  if (times.length <= timesNamed) return `at ${joined(times)}`;
  const inHours = hourWords(hour);
  if (isAll(minute, fields.minute)) return `every minute ${inHours}`;
  if (every !== undefined) return `every ${every} minutes ${inHours}`;
  return `${minuteWords(minute)} of the hour, ${inHours}`;
}

const timesNamed = 4;

function minuteWords(minute: readonly Part[]): string {
  return `at minute ${listed(minute, String)}`;
}

function hourWords(hour: readonly Part[]): string {
  const every = stepOf(hour, fields.hour);
  if (every !== undefined) return `every ${every} hours`;
  return `in the hours ${listed(hour, (value) => clock(value, 0))}`;
}

function dayWords(day: readonly Part[], weekday: readonly Part[]): string {
  const [hasDay, hasWeekday] = [!isAll(day, fields.day), !isEveryDay(weekday)];
  if (!hasDay && !hasWeekday) return '';
  const ofMonth = `on day ${listed(day, String)} of the month`;
  const ofWeek = `on ${listed(weekday, (value) => days[value] ?? '')}`;
  if (!hasWeekday) return ` ${ofMonth}`;
  // If both are given, either is enough.
  return hasDay ? ` ${ofMonth} and ${ofWeek}` : ` ${ofWeek}`;
}

function isEveryDay(weekday: readonly Part[]): boolean {
  return new Set(valuesOf(weekday).map((value) => value % 7)).size === 7;
}

/** The step of a field that has no other values, where it divides the whole: the time between any two is the same then. */
function stepOf(parts: readonly Part[], { least, greatest }: Field): number | undefined {
  const [only, ...others] = parts;
  if (only === undefined || others.length > 0 || only.step === 1) return undefined;
  const isWhole = only.from === least && only.to === greatest && (greatest - least + 1) % only.step === 0;
  return isWhole ? only.step : undefined;
}

function valuesOf(parts: readonly Part[]): readonly number[] {
  const values = parts.flatMap(({ from, to, step }) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step),
  );
  return [...new Set(values)].toSorted((left, right) => left - right);
}

/** Ranges as they are written, and single values. */
function listed(parts: readonly Part[], word: (value: number) => string): string {
  const words = parts.flatMap((part) => {
    const { from, to, step } = part;
    if (from === to) return [word(from)];
    if (step === 1) return [to - from === 1 ? `${word(from)} and ${word(to)}` : `${word(from)} to ${word(to)}`];
    return valuesOf([part]).map(word);
  });
  return joined(words);
}

function joined(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
