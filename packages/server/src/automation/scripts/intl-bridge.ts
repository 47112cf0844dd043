/** The bridge from a script to the host's locales and time zones: texts alone, checked here whatever the script is. */
import { BoundedMap } from '../../lib/bounded-map.ts';
import { isLocale, timeZone } from '../../lib/locales.ts';
import type { IntlArgument, IntlKind } from './inside-intl.ts';
import { scriptLimits } from './script-outcome.ts';

type IntlOptions = Readonly<Record<string, string | number | boolean>>;

type Format = Readonly<Record<string, (first: string, second: string) => unknown>>;

interface HostKind extends Omit<IntlKind, 'name'> {
  readonly make: (locales: readonly string[], options: IntlOptions) => Format;
}

const inDate = ['weekday', 'year', 'month', 'day'];
const inTime = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
const styles = ['dateStyle', 'timeStyle'];
const ofTimes = [
  ...['localeMatcher', 'calendar', 'numberingSystem', 'hour12', 'hourCycle', 'timeZone', 'era', 'timeZoneName'],
  ...['formatMatcher', ...inDate, ...inTime, ...styles],
];
const ofDigits = [
  ...['minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits'],
  ...['maximumSignificantDigits', 'roundingIncrement', 'roundingMode', 'roundingPriority', 'trailingZeroDisplay'],
];
const ofNumbers = [
  ...[
    'localeMatcher',
    'numberingSystem',
    'style',
    'currency',
    'currencyDisplay',
    'currencySign',
    'unit',
    'unitDisplay',
  ],
  ...['notation', 'compactDisplay', 'useGrouping', 'signDisplay', ...ofDigits],
];

/** Numbers go with a letter that says what they are. */
function numberOf(text: string): number | bigint {
  const digits = text.slice(1);
  if (text.startsWith('n')) return BigInt(digits);
  // A text that is a number is taken as exact, which the types of the language do not know.
  return text.startsWith('s') ? (digits as unknown as number) : Number(digits);
}

type DateTimeFormat = Intl.DateTimeFormat;

function dateTimeFormat(format: DateTimeFormat): Format {
  return {
    format: (time) => format.format(Number(time)),
    formatToParts: (time) => format.formatToParts(Number(time)),
    formatRange: (from, to) => format.formatRange(Number(from), Number(to)),
    formatRangeToParts: (from, to) => format.formatRangeToParts(Number(from), Number(to)),
    resolvedOptions: () => format.resolvedOptions(),
  };
}

const timeMethods = {
  format: ['time'],
  formatToParts: ['time'],
  formatRange: ['time', 'time'],
  formatRangeToParts: ['time', 'time'],
  resolvedOptions: [],
} as const;

/** The local time of a script is UTC. */
function timesIn(locales: readonly string[], options: IntlOptions): DateTimeFormat {
  return new Intl.DateTimeFormat([...locales], { timeZone: 'UTC', ...options });
}

/** As the methods of dates: parts that are not asked for are those of the method. */
function ofDates(required: readonly string[], defaults: readonly string[]): HostKind {
  return {
    options: ofTimes,
    methods: { format: ['time'] },
    isOfValues: true,
    make: (locales, options) => {
      const isComplete = [...required, ...styles].some((name) => options[name] !== undefined);
      const shown = isComplete ? {} : Object.fromEntries(defaults.map((name) => [name, 'numeric']));
      const other = required === inDate ? 'timeStyle' : required === inTime ? 'dateStyle' : '';
      if (options[other] !== undefined) throw new TypeError(`Invalid option : ${other}`);
      return dateTimeFormat(timesIn(locales, { ...shown, ...options }));
    },
  };
}

const dateDefaults = ['year', 'month', 'day'];
const timeDefaults = ['hour', 'minute', 'second'];

/** Those of `Intl`, and those that methods of values ask for. */
const kinds: Readonly<Record<string, HostKind>> = {
  DateTimeFormat: {
    options: ofTimes,
    methods: timeMethods,
    bound: 'format',
    make: (locales, options) => dateTimeFormat(timesIn(locales, options)),
  },
  NumberFormat: {
    options: ofNumbers,
    methods: { ...replaced(timeMethods, 'number'), resolvedOptions: [] },
    bound: 'format',
    make: (locales, options) => {
      const format = new Intl.NumberFormat([...locales], options);
      return {
        format: (number) => format.format(numberOf(number)),
        formatToParts: (number) => format.formatToParts(numberOf(number)),
        formatRange: (from, to) => format.formatRange(numberOf(from), numberOf(to)),
        formatRangeToParts: (from, to) => format.formatRangeToParts(numberOf(from), numberOf(to)),
        resolvedOptions: () => format.resolvedOptions(),
      };
    },
  },
  Collator: {
    options: ['localeMatcher', 'usage', 'sensitivity', 'ignorePunctuation', 'numeric', 'caseFirst', 'collation'],
    methods: { compare: ['text', 'text'], resolvedOptions: [] },
    bound: 'compare',
    make: (locales, options) => {
      const collator = new Intl.Collator([...locales], options);
      return {
        compare: (first, second) => collator.compare(first, second),
        resolvedOptions: () => collator.resolvedOptions(),
      };
    },
  },
  PluralRules: {
    options: ['localeMatcher', 'type', 'notation', ...ofDigits],
    methods: { select: ['number'], resolvedOptions: [] },
    make: (locales, options) => {
      const rules = new Intl.PluralRules([...locales], options);
      return {
        select: (number) => rules.select(Number(numberOf(number))),
        resolvedOptions: () => rules.resolvedOptions(),
      };
    },
  },
  ListFormat: {
    options: ['localeMatcher', 'type', 'style'],
    methods: { format: ['list'], formatToParts: ['list'] },
    make: (locales, options) => {
      const format = new Intl.ListFormat([...locales], options);
      return {
        format: (list) => format.format(textsIn(list, scriptLimits.intlListElements)),
        formatToParts: (list) => format.formatToParts(textsIn(list, scriptLimits.intlListElements)),
      };
    },
  },
  RelativeTimeFormat: {
    options: ['localeMatcher', 'numberingSystem', 'style', 'numeric'],
    methods: { format: ['number', 'text'], formatToParts: ['number', 'text'], resolvedOptions: [] },
    make: (locales, options) => {
      const format = new Intl.RelativeTimeFormat([...locales], options);
      const unitOf = (text: string) => text as Intl.RelativeTimeFormatUnit;
      return {
        format: (number, unit) => format.format(Number(numberOf(number)), unitOf(unit)),
        formatToParts: (number, unit) => format.formatToParts(Number(numberOf(number)), unitOf(unit)),
        resolvedOptions: () => format.resolvedOptions(),
      };
    },
  },
  DisplayNames: {
    options: ['localeMatcher', 'style', 'type', 'languageDisplay', 'fallback'],
    methods: { of: ['text'], resolvedOptions: [] },
    make: (locales, options) => {
      // The host says which options there must be.
      const names = new Intl.DisplayNames([...locales], options as unknown as Intl.DisplayNamesOptions);
      return { of: (code) => names.of(code) ?? null, resolvedOptions: () => names.resolvedOptions() };
    },
  },
  DateTime: ofDates([...inDate, ...inTime], [...dateDefaults, ...timeDefaults]),
  Date: ofDates(inDate, dateDefaults),
  Time: ofDates(inTime, timeDefaults),
  Case: {
    options: [],
    methods: { upper: ['text'], lower: ['text'] },
    isOfValues: true,
    make: (locales) => ({
      upper: (text) => text.toLocaleUpperCase([...locales]),
      lower: (text) => text.toLocaleLowerCase([...locales]),
    }),
  },
};

function replaced(methods: typeof timeMethods, type: IntlArgument): Readonly<Record<string, readonly IntlArgument[]>> {
  return Object.fromEntries(Object.entries(methods).map(([name, types]) => [name, types.map(() => type)]));
}

/** As the realm of a script knows them. */
export const intlKinds: readonly IntlKind[] = Object.entries(kinds).map(([name, { make: _, ...kind }]) => ({
  name,
  ...kind,
}));

const defaultLocale = 'en-US';
const localesMax = 10;
const optionCharactersMax = 100;
/** Of all scripts of the thread, one after the other: a format takes some 20 KB. */
const cached = new BoundedMap<string, Format>(scriptLimits.intlFormats);

export class IntlBridge {
  readonly #formats: Format[] = [];
  #calls = 0;

  /** An answer as `inside-intl.ts` reads it. It throws nothing. */
  answer(query: string, method: string, first: string, second: string): string {
    try {
      this.#calls += 1;
      if (this.#calls > scriptLimits.intlCalls)
        throw new RangeError(`a script makes at most ${scriptLimits.intlCalls} calls of Intl`);
      if ([query, method, first, second].some((text) => text.length > scriptLimits.intlTextCharacters))
        throw new RangeError(`a text for Intl has at most ${scriptLimits.intlTextCharacters} characters`);
      const text = JSON.stringify(this.#value(query, method, [first, second])) ?? 'null';
      if (text.length > scriptLimits.intlResultCharacters)
        throw new RangeError(`Intl gives at most ${scriptLimits.intlResultCharacters} characters`);
      return `+${text}`;
    } catch (error) {
      const name = error instanceof TypeError ? 'TypeError' : 'RangeError';
      const message = error instanceof Error ? error.message : '';
      return `-${name}:${message.slice(0, scriptLimits.messageCharacters).toWellFormed()}`;
    }
  }

  #value(query: string, method: string, [first, second]: readonly [string, string]): unknown {
    const format = /^\d{1,6}$/.test(query) ? this.#formats[Number(query)] : undefined;
    if (format !== undefined && Object.hasOwn(format, method)) return format[method]?.(first, second);
    if (query === '' && method === 'getCanonicalLocales') return Intl.getCanonicalLocales(localesIn(first, []));
    if (query === '' && method === 'supportedValuesOf') return Intl.supportedValuesOf(first as 'timeZone');
    const kind = Object.hasOwn(kinds, query) ? kinds[query] : undefined;
    if (kind !== undefined && method === 'new') return this.#open(query, kind, first, second);
    if (kind !== undefined && method === 'supportedLocalesOf') return localesIn(first, []).filter(isLocale);
    throw new TypeError('Intl has no such method');
  }

  #open(name: string, kind: HostKind, locales: string, options: string): number {
    if (this.#formats.length >= scriptLimits.intlFormats)
      throw new RangeError(`a script makes at most ${scriptLimits.intlFormats} different formats of Intl`);
    const key = JSON.stringify([name, locales, options]);
    const format = cached.get(key) ?? kind.make(knownLocales(locales), optionsIn(kind, options));
    cached.set(key, format);
    return this.#formats.push(format) - 1;
  }
}

/** @throws RangeError for a locale that is none, or that the host does not know: it would take another one in silence. */
function knownLocales(text: string): readonly string[] {
  const locales = localesIn(text, [defaultLocale]);
  for (const locale of locales) Intl.getCanonicalLocales(locale);
  const known = locales.filter(isLocale);
  if (known.length === 0) throw new RangeError(`there is no locale \`${locales.join(', ').slice(0, 100)}\``);
  return known;
}

function localesIn(text: string, otherwise: readonly string[]): readonly string[] {
  return text === '' || text === '[]' ? otherwise : textsIn(text, localesMax);
}

function textsIn(json: string, max: number): readonly string[] {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) throw new TypeError('Intl takes texts');
  if (list.length > max) throw new RangeError(`a list for Intl has at most ${max} elements`);
  return list;
}

/** Those that the kind knows, each a plain value, on an object of the host's own. */
function optionsIn(kind: HostKind, json: string): IntlOptions {
  const given: unknown = JSON.parse(json);
  if (typeof given !== 'object' || given === null) throw new TypeError('options are an object');
  const options: Record<string, string | number | boolean> = Object.create(null);
  for (const name of kind.options) {
    if (!Object.hasOwn(given, name)) continue;
    const value: unknown = Reflect.get(given, name);
    if (typeof value === 'string' && value.length <= optionCharactersMax) options[name] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') options[name] = value;
    else throw new RangeError(`the option ${name} takes a short text, a number, true or false`);
  }
  const { timeZone: zone } = options;
  if (zone !== undefined && timeZone(String(zone)) === undefined)
    throw new RangeError(`there is no time zone \`${String(zone)}\``);
  return options;
}
