/** Reads of a time in a time zone by expressions of templates. Nodes do not all know the same zones and locales. */

import { BoundedMap } from '../../lib/bounded-map.ts';
import { isKnownZone, isLocale, timeZone } from '../../lib/locales.ts';
import { charge, chargeBuilt, type Effort, TemplateError } from './cel-values.ts';
import { type TemplateOperation, unsuited } from './operations.ts';

const dayMilliseconds = 86_400_000;

/** By the methods of CEL that take a time zone: what they read of a time that is that of the zone. */
const readings: ReadonlyMap<string, (local: Date) => number> = new Map([
  ['getFullYear', (local) => local.getUTCFullYear()],
  ['getMonth', (local) => local.getUTCMonth()],
  ['getDate', (local) => local.getUTCDate()],
  ['getDayOfMonth', (local) => local.getUTCDate() - 1],
  ['getDayOfWeek', (local) => local.getUTCDay()],
  ['getDayOfYear', (local) => Math.floor((local.getTime() - startOfYear(local)) / dayMilliseconds)],
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

/** The mistake in literal arguments, if any. @param texts undefined for arguments that are not literal. */
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
export function zonedMethod(name: string): TemplateOperation | undefined {
  const read = readings.get(name);
  if (read === undefined) return undefined;
  return ([moment, zone], effort) => BigInt(read(zonedTime(moment, zone, effort).local));
}

export const formatTime: TemplateOperation = ([moment, pattern, zone, locale], effort) => {
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

// Times as texts, by a pattern as Unicode has them (UTS #35), in the Gregorian calendar.

/** The time in its zone, as if it were in UTC, and how far the zone is ahead. */
interface ZonedTime {
  readonly local: Date;
  readonly offset: number;
}

type FormatPart = (time: ZonedTime, names: LocaleNames) => string;

const patternCharactersMax = 100;

/** The writers of a time by a pattern, or the mistake in the pattern. */
function timePattern(pattern: string): readonly FormatPart[] | { readonly message: string } {
  if (pattern.length > patternCharactersMax)
    return { message: `a pattern is longer than ${patternCharactersMax} characters` };
  const parts: FormatPart[] = [];
  for (const [token] of pattern.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g)) {
    const literal = literalOf(token);
    const part = literal === undefined ? fields[token] : () => literal;
    if (part === undefined)
      return {
        message: token === "'" ? 'a text in a pattern has no closing quote' : `a pattern has no field \`${token}\``,
      };
    parts.push(part);
  }
  return parts;
}

/** Undefined for a field. */
function literalOf(token: string): string | undefined {
  if (token === "''") return "'";
  if (token.length > 1 && token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  return /^[A-Za-z']/.test(token) ? undefined : token;
}

function number(read: (local: Date) => number, digits: number): FormatPart {
  return ({ local }, names) => {
    const value = read(local);
    const text = String(Math.abs(value)).padStart(digits, '0');
    return (value < 0 ? '-' : '') + text.replace(/\d/g, (digit) => names.digits[Number(digit)] ?? digit);
  };
}

const year = (local: Date): number => local.getUTCFullYear();
const month = (local: Date): number => local.getUTCMonth() + 1;
const day = (local: Date): number => local.getUTCDate();
const hour = (local: Date): number => local.getUTCHours();
const hourOfHalf = (local: Date): number => hour(local) % 12 || 12;
const fraction = (digits: number): FormatPart =>
  number((local) => Math.floor(local.getUTCMilliseconds() / 10 ** (3 - digits)), digits);

const fields: Readonly<Record<string, FormatPart>> = {
  y: number(year, 1),
  yy: number((local) => Math.abs(year(local)) % 100, 2),
  yyyy: number(year, 4),
  M: number(month, 1),
  MM: number(month, 2),
  MMM: ({ local }, names) => names.months.short[local.getUTCMonth()] ?? '',
  MMMM: ({ local }, names) => names.months.long[local.getUTCMonth()] ?? '',
  d: number(day, 1),
  dd: number(day, 2),
  E: ({ local }, names) => names.weekdays.short[local.getUTCDay()] ?? '',
  EEE: ({ local }, names) => names.weekdays.short[local.getUTCDay()] ?? '',
  EEEE: ({ local }, names) => names.weekdays.long[local.getUTCDay()] ?? '',
  H: number(hour, 1),
  HH: number(hour, 2),
  h: number(hourOfHalf, 1),
  hh: number(hourOfHalf, 2),
  m: number((local) => local.getUTCMinutes(), 1),
  mm: number((local) => local.getUTCMinutes(), 2),
  s: number((local) => local.getUTCSeconds(), 1),
  ss: number((local) => local.getUTCSeconds(), 2),
  S: fraction(1),
  SS: fraction(2),
  SSS: fraction(3),
  a: ({ local }, names) => names.halves[hour(local) < 12 ? 0 : 1],
  XXX: ({ offset }) => (offset === 0 ? 'Z' : offsetText(offset)),
  xxx: ({ offset }) => offsetText(offset),
};

function offsetText(offset: number): string {
  const minutes = Math.trunc(Math.abs(offset) / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((one) => String(one).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hours}:${rest}`;
}

type LocaleNameLists = Readonly<Record<'long' | 'short', readonly string[]>>;

/** The way a locale says months, days and halves of a day within a date, and its digits. */
interface LocaleNames {
  readonly months: LocaleNameLists;
  readonly weekdays: LocaleNameLists;
  readonly halves: readonly [string, string];
  readonly digits: readonly string[];
}

const known = new BoundedMap<string, LocaleNames>(100);

function isKnownLocale(locale: string): boolean {
  return known.has(locale);
}

/** @param locale that is known here. */
function namesOf(locale: string): LocaleNames {
  const before = known.get(locale);
  if (before !== undefined) return before;
  const digit = new Intl.NumberFormat(locale);
  const names: LocaleNames = {
    months: { long: monthNames(locale, 'long'), short: monthNames(locale, 'short') },
    weekdays: { long: weekdayNames(locale, 'long'), short: weekdayNames(locale, 'short') },
    halves: [halfAt(locale, 1), halfAt(locale, 13)],
    digits: Array.from({ length: 10 }, (_, value) => digit.format(value)),
  };
  known.set(locale, names);
  return names;
}

type FormatOptions = Intl.DateTimeFormatOptions;

function monthNames(locale: string, length: 'long' | 'short'): readonly string[] {
  const name = namer(locale, 'month', { month: length }, { month: length, day: 'numeric' });
  return Array.from({ length: 12 }, (_, index) => name(Date.UTC(2024, index, 1)));
}

/** From Sunday on. */
function weekdayNames(locale: string, length: 'long' | 'short'): readonly string[] {
  const date: FormatOptions = { year: 'numeric', month: 'long', day: 'numeric' };
  const name = namer(locale, 'weekday', { weekday: length }, { ...date, weekday: length });
  return Array.from({ length: 7 }, (_, index) => name(Date.UTC(2024, 0, 7 + index)));
}

/** Names as they are within a date; where that has a number in their place, as they are alone. */
function namer(
  locale: string,
  type: 'month' | 'weekday',
  alone: FormatOptions,
  within: FormatOptions,
): (time: number) => string {
  const plain = { timeZone: 'UTC', calendar: 'gregory' };
  const [inDate, byItself] = [within, alone].map(
    (options) => new Intl.DateTimeFormat(locale, { ...plain, ...options }),
  );
  return (time) => {
    const part = inDate?.formatToParts(time).find((one) => one.type === type)?.value ?? '';
    return /\p{L}/u.test(part) ? part : (byItself?.format(time) ?? part);
  };
}

function halfAt(locale: string, hours: number): string {
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', hour: 'numeric', hourCycle: 'h12' });
  const parts = format.formatToParts(Date.UTC(2024, 0, 1, hours));
  return parts.find(({ type }) => type === 'dayPeriod')?.value ?? (hours < 12 ? 'AM' : 'PM');
}
