/** What expressions of templates read of a time in a time zone. What a node knows of zones and locales is not the same everywhere. */
import { isKnownZone, isLocale, timeZone } from '../../lib/locales.ts';
import { charge, chargeBuilt, type Effort, TemplateError } from './effort.ts';
import { isKnownLocale, namesOf, timePattern, type ZonedTime } from './format-time.ts';
import { type Operation, unsuited } from './operations.ts';

const day = 86_400_000;

/** By the methods of CEL that take a time zone: what they read of a time that is that of the zone. */
const readings: ReadonlyMap<string, (local: Date) => number> = new Map([
  ['getFullYear', (local) => local.getUTCFullYear()],
  ['getMonth', (local) => local.getUTCMonth()],
  ['getDate', (local) => local.getUTCDate()],
  ['getDayOfMonth', (local) => local.getUTCDate() - 1],
  ['getDayOfWeek', (local) => local.getUTCDay()],
  ['getDayOfYear', (local) => Math.floor((local.getTime() - startOfYear(local)) / day)],
  ['getHours', (local) => local.getUTCHours()],
  ['getMinutes', (local) => local.getUTCMinutes()],
  ['getSeconds', (local) => local.getUTCSeconds()],
  ['getMilliseconds', (local) => local.getUTCMilliseconds()],
]);

function startOfYear(local: Date): number {
  const start = new Date(local.getTime());
  start.setUTCMonth(0, 1);
  return start.setUTCHours(0, 0, 0, 0);
}

export const formatTimeName = 'formatTime';
/** A time, a pattern, a time zone and a locale. */
export const formatTimeArguments = 4;

/** What is wrong with the arguments that an expression says itself; undefined where nothing is. @param texts undefined for what is not known before. */
export function localeMistake(texts: LocaleTexts): string | undefined {
  const { zone, pattern, locale } = texts;
  if (zone !== undefined && timeZone(zone) === undefined) return `there is no time zone \`${shortened(zone)}\``;
  const made = pattern === undefined ? undefined : timePattern(pattern);
  if (made !== undefined && 'message' in made) return made.message;
  return locale === undefined || isLocale(locale) ? undefined : `there is no locale \`${shortened(locale)}\``;
}

interface LocaleTexts {
  readonly zone?: string | undefined;
  readonly pattern?: string | undefined;
  readonly locale?: string | undefined;
}

function shortened(name: string): string {
  return name.slice(0, 100);
}

/** About 3 µs; a zone or a locale that was not asked for of late takes a millisecond or two. */
const stepsOfZone = 16;
const stepsOfNewZone = 2000;
const stepsOfPattern = 40;
const stepsOfNewLocale = 8000;

/** A method of a time that takes a time zone; undefined where there is none of that name. */
export function zonedMethod(name: string): Operation | undefined {
  const read = readings.get(name);
  if (read === undefined) return undefined;
  return ([moment, zone], effort) => BigInt(read(zonedTime(moment, zone, effort).local));
}

export const formatTime: Operation = ([moment, pattern, zone, locale], effort) => {
  const time = zonedTime(moment, zone, effort);
  charge(effort, stepsOfPattern);
  const parts = timePattern(String(pattern));
  if ('message' in parts) throw new TemplateError('unknown_pattern', parts.message);
  const name = String(locale);
  const isKnown = isKnownLocale(name);
  charge(effort, isKnown ? 1 : stepsOfNewLocale);
  if (!isKnown && !isLocale(name))
    throw new TemplateError('unknown_locale', `there is no locale \`${shortened(name)}\``);
  const names = namesOf(name);
  const text = parts.map((part) => part(time, names)).join('');
  chargeBuilt(effort, text.length);
  return text;
};

function zonedTime(moment: unknown, zone: unknown, effort: Effort): ZonedTime {
  if (!(moment instanceof Date) || typeof zone !== 'string') throw new TemplateError('expression_failed', unsuited);
  charge(effort, isKnownZone(zone) ? stepsOfZone : stepsOfNewZone);
  const offsetAt = timeZone(zone);
  if (offsetAt === undefined)
    throw new TemplateError('unknown_time_zone', `there is no time zone \`${shortened(zone)}\``);
  const offset = offsetAt(moment.getTime());
  const local = new Date(moment.getTime() + offset);
  // At the end of all times that there are.
  if (Number.isNaN(local.getTime())) throw new TemplateError('expression_failed', unsuited);
  return { local, offset };
}
