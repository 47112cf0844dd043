/** The parts of time by which records are grouped, by their names in replies: `2026-03-29`, `2026-W13`, `2026-03`, `2026-Q1`, `2026`. */

export const timeUnits = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type TimeUnit = (typeof timeUnits)[number];

const dayMilliseconds = 86_400_000;

const instant = (year: number, month = 0, day = 1): number => Date.UTC(year, month, day);

/** The Monday of the week that a time is in. */
function mondayOf(time: number): number {
  return time - ((new Date(time).getUTCDay() + 6) % 7) * dayMilliseconds;
}

/** The first millisecond of a part, in UTC. NaN for a name of another unit. */
export function startOf(unit: TimeUnit, name: string): number {
  const [, year = '', quarter, week, month, day] =
    /^(\d{4})(?:-Q([1-4])|-W(\d\d)|-(\d\d)(?:-(\d\d))?)?$/.exec(name) ?? [];
  const parts = { day, week, month: day === undefined ? month : undefined, quarter, year };
  if (parts[unit] === undefined || parts[unit] === '') return Number.NaN;
  if (week !== undefined) return mondayOf(instant(Number(year), 0, 4)) + (Number(week) - 1) * 7 * dayMilliseconds;
  if (quarter !== undefined) return instant(Number(year), (Number(quarter) - 1) * 3);
  return instant(Number(year), Number(month ?? 1) - 1, Number(day ?? 1));
}

/** The first millisecond behind the part that begins then. */
export function endOf(unit: TimeUnit, start: number): number {
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === 'year') return instant(year + 1);
  if (unit === 'day' || unit === 'week') return start + (unit === 'day' ? 1 : 7) * dayMilliseconds;
  return instant(year, month + (unit === 'month' ? 1 : 3));
}

function nameOf(unit: TimeUnit, start: number): string {
  const date = new Date(start);
  const year = date.getUTCFullYear();
  if (unit === 'year') return String(year);
  if (unit === 'quarter') return `${year}-Q${date.getUTCMonth() / 3 + 1}`;
  if (unit !== 'week') return date.toISOString().slice(0, unit === 'month' ? 7 : 10);
  // The year of a week is that of its Thursday.
  const ofThursday = new Date(start + 3 * dayMilliseconds).getUTCFullYear();
  const first = mondayOf(instant(ofThursday, 0, 4));
  return `${ofThursday}-W${String((start - first) / (7 * dayMilliseconds) + 1).padStart(2, '0')}`;
}

/** As many as the platform answers, so that no address makes more. */
const partsMax = 1_100;

/** All parts from the first to the last, also those without records, which replies leave out. */
export function partsBetween(unit: TimeUnit, first: string, last: string): readonly string[] {
  const names: string[] = [];
  const end = startOf(unit, last);
  for (let at = startOf(unit, first); at <= end && names.length < partsMax; at = endOf(unit, at))
    names.push(nameOf(unit, at));
  return names;
}
