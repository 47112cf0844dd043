/** Times in time zones and in the words of locales, in templates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { isMistake } from '../grammar.ts';
import { stepsMax, TemplateError } from './cel-values.ts';
import { compileTemplate, compileWhen } from './compile-template.ts';
import type { TemplateScope, TemplateValues } from './value-type.ts';

const scope: TemplateScope = { steps: new Map(), input: 'dyn' };

function valuesAt(now: number, input: unknown = {}): TemplateValues {
  return { steps: {}, input, env: 'test', now };
}

function evaluate(source: string, at: string | number, input: unknown = {}): unknown {
  const compiled = compileTemplate(`{{ ${source} }}`, scope, '/at');
  assert.ok('evaluate' in compiled, JSON.stringify(compiled));
  return compiled.evaluate(valuesAt(typeof at === 'number' ? at : Date.parse(at), input), { steps: 0 });
}

/** The error that refuses a template, and its character. */
function mistake(source: string): string {
  const compiled = compileTemplate(`{{${source}}}`, scope, '');
  assert.ok(Array.isArray(compiled), source);
  return (compiled as readonly { readonly message: string }[]).map(({ message }) => message).join();
}

const methods = [
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
];

for (const [at, zone, expected] of [
  // The hour that is left out in spring, and the hour that comes twice in autumn.
  ['2026-03-29T00:59:59.999Z', 'Europe/Berlin', [2026, 2, 29, 28, 0, 87, 1, 59, 59, 999]],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', [2026, 2, 29, 28, 0, 87, 3, 0, 0, 0]],
  ['2026-10-25T00:30:00Z', 'Europe/Berlin', [2026, 9, 25, 24, 0, 297, 2, 30, 0, 0]],
  ['2026-10-25T01:30:00Z', 'Europe/Berlin', [2026, 9, 25, 24, 0, 297, 2, 30, 0, 0]],
  // Another day, month and year.
  ['2026-12-31T20:15:30Z', 'Asia/Kolkata', [2027, 0, 1, 0, 5, 0, 1, 45, 30, 0]],
  ['2026-01-01T03:00:00Z', 'America/St_Johns', [2025, 11, 31, 30, 3, 364, 23, 30, 0, 0]],
  // A day that was left out.
  ['2011-12-30T10:00:00Z', 'Pacific/Apia', [2011, 11, 31, 30, 6, 364, 0, 0, 0, 0]],
  ['1800-01-01T00:00:00Z', 'Europe/Berlin', [1800, 0, 1, 0, 3, 0, 0, 53, 28, 0]],
  ['2026-07-01T10:00:00Z', '+05:30', [2026, 6, 1, 0, 3, 181, 15, 30, 0, 0]],
  ['2026-07-01T10:00:00Z', '02:00', [2026, 6, 1, 0, 3, 181, 12, 0, 0, 0]],
  ['2026-07-01T10:00:00Z', '-03:00', [2026, 6, 1, 0, 3, 181, 7, 0, 0, 0]],
  ['2026-07-01T10:00:00Z', 'UTC', [2026, 6, 1, 0, 3, 181, 10, 0, 0, 0]],
] as const)
  test(`the parts of ${at} in ${zone} are those of its clocks`, () => {
    assert.deepEqual(
      methods.map((method) => evaluate(`now.${method}("${zone}")`, at)),
      expected,
    );
  });

test('a part of a time in a zone is a whole number, also of a zone that is known when it is evaluated', () => {
  assert.equal(evaluate('now.getHours(input.zone) + 1', '2026-07-01T10:00:00Z', { zone: 'Asia/Tokyo' }), 20);
  assert.equal(evaluate('timestamp(input.at).getHours("Asia/Tokyo") == 19', 0, { at: '2026-07-01T10:00:00Z' }), true);
  assert.equal(evaluate('now.getHours()', '2026-07-01T10:00:00Z'), 10);
});

/** The types of the language do not have it yet. */
interface Temporal {
  readonly Instant: {
    fromEpochMilliseconds(at: number): { toZonedDateTimeISO(zone: string): Readonly<Record<string, number>> };
  };
}

test('parts of times are those that the calendar of the runtime gives, in any zone and year', () => {
  const { Instant } = (globalThis as unknown as { readonly Temporal: Temporal }).Temporal;
  const zones = Intl.supportedValuesOf('timeZone');
  const at = fc.integer({ min: Date.parse('0001-01-03T00:00:00Z'), max: Date.parse('9999-12-29T00:00:00Z') });
  fc.assert(
    fc.property(at, fc.constantFrom(...zones), (time, zone) => {
      const expected = Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone);
      const parts = [
        expected.year,
        ...[(expected.month ?? 0) - 1, expected.day, (expected.day ?? 0) - 1, (expected.dayOfWeek ?? 0) % 7],
        ...[(expected.dayOfYear ?? 0) - 1, expected.hour, expected.minute, expected.second, expected.millisecond],
      ];
      assert.deepEqual(
        methods.map((method) => evaluate(`now.${method}(input.zone)`, time, { zone })),
        parts,
        `${zone} ${time}`,
      );
    }),
    { numRuns: thinned(300) },
  );
});

for (const [pattern, locale, expected] of [
  ['yyyy-MM-dd HH:mm:ss.SSS xxx', 'en', '2026-07-05 19:04:09.080 +09:00'],
  ['EEEE, d. MMMM yyyy', 'de-DE', 'Sonntag, 5. Juli 2026'],
  ['EEE d MMM yy, h:mm a', 'en-US', 'Sun 5 Jul 26, 7:04 PM'],
  // Within a date the month has another case than by itself.
  ['d MMMM', 'ru', '5 июля'],
  ['d MMMM', 'pl', '5 lipca'],
  ['MMMM d日 (E)', 'ja', '7月 5日 (日)'],
  ['dd/MM/yyyy', 'ar-EG', '٠٥/٠٧/٢٠٢٦'],
  ["d 'of' MMMM 'o''clock' ''", 'en', "5 of July o'clock '"],
  ['XXX y M d H m s S h hh', 'en', '+09:00 2026 7 5 19 4 9 0 7 07'],
  ['', 'en', ''],
] as const)
  test(`a time is written as \`${pattern}\` in ${locale}`, () => {
    const request = `formatTime(now, input.pattern, "Asia/Tokyo", "${locale}")`;
    assert.equal(evaluate(request, '2026-07-05T10:04:09.080Z', { pattern }), expected);
  });

test('times are written in UTC, at midnight and noon, and before the year 1000', () => {
  const at = (time: string, pattern: string) =>
    evaluate('formatTime(now, input.pattern, "UTC", "en")', time, { pattern });
  assert.equal(at('2026-07-05T00:00:00Z', 'h a XXX xxx'), '12 AM Z +00:00');
  assert.equal(at('2026-07-05T12:00:00Z', 'h a'), '12 PM');
  assert.equal(at('0044-03-15T12:00:00Z', 'yyyy y yy'), '0044 44 44');
});

test('zones, locales and patterns that there are not are refused by name, where the template says them', () => {
  assert.equal(mistake('now.getHours("Europe/Berln")'), 'at character 16: there is no time zone `Europe/Berln`');
  assert.equal(mistake('now.getHours("+25:00")'), 'at character 16: there is no time zone `+25:00`');
  const format = (pattern: string, zone: string, locale: string) =>
    mistake(`formatTime(now, "${pattern}", "${zone}", "${locale}")`);
  assert.equal(format('yyyy', 'UTC', 'xx'), 'at character 34: there is no locale `xx`');
  assert.equal(format('yyyy', 'UTC', 'de_DE'), 'at character 34: there is no locale `de_DE`');
  assert.equal(format('yyyy', 'Nowhere', 'de'), 'at character 27: there is no time zone `Nowhere`');
  assert.equal(format('YYYY', 'UTC', 'de'), 'at character 19: a pattern has no field `YYYY`');
  assert.equal(format("d 'of", 'UTC', 'de'), 'at character 19: a text in a pattern has no closing quote');
  assert.match(
    mistake('formatTime(now, "d", "UTC")'),
    /takes 4 arguments: a time, a pattern, a time zone and a locale/,
  );
  assert.match(mistake('formatTime("today", "d", "UTC", "en")'), /no function takes these types/);
  assert.match(mistake('now.getHours(1)'), /no function takes these types/);
  assert.match(mistake('now.getHours("UTC", "de")'), /takes 0 arguments/);
});

test('zones, locales and patterns that come with values fail by name, and conditions with them are false', () => {
  const code = (source: string, input: object) => {
    try {
      return evaluate(source, 0, input);
    } catch (error) {
      return error instanceof TemplateError ? error.code : error;
    }
  };
  assert.equal(code('now.getHours(input.zone)', { zone: 'Nowhere' }), 'unknown_time_zone');
  assert.equal(code('now.getHours(input.zone)', { zone: 'x'.repeat(100_000) }), 'unknown_time_zone');
  assert.equal(code('formatTime(now, "d", "UTC", input.locale)', { locale: 'tlh' }), 'unknown_locale');
  assert.equal(code('formatTime(now, input.pattern, "UTC", "en")', { pattern: 'Q' }), 'unknown_pattern');
  assert.equal(code('formatTime(now, input.pattern, "UTC", "en")', { pattern: 'd'.repeat(101) }), 'unknown_pattern');
  assert.equal(code('now.getHours(input.zone)', { zone: 7 }), 'expression_failed');
  assert.equal(code('now.getHours(input.none)', {}), null);
  assert.equal(code('timestamp("0001-01-01T00:00:00Z").getFullYear("America/Lima")', {}), 0);
  // At the end of all times that there are.
  assert.throws(() => evaluate('now.getHours("+14:00")', 8.64e15), { code: 'expression_failed' });
  const when = compileWhen('now.getHours(input.zone) >= 0', scope);
  assert.ok(!isMistake(when));
  assert.equal(when.holds(valuesAt(0, { zone: 'Nowhere' })), false);
  assert.equal(when.holds(valuesAt(0, { zone: 'Asia/Tokyo' })), true);
});

test('an expression says whether its value depends on the node', () => {
  const of = (source: string) => {
    const compiled = compileTemplate(source, scope, '');
    return 'evaluate' in compiled && compiled.isOfNode;
  };
  assert.deepEqual(
    [
      'a {{ now.getHours() }}',
      '{{ now.getHours("UTC") }}',
      'a {{ input.a }} {{ formatTime(now, "d", "UTC", "en") }}',
    ].map(of),
    [false, true, true],
  );
  const when = compileWhen('input.list.exists(one, timestamp(one).getHours("UTC") > 3)', scope);
  assert.ok(!isMistake(when) && when.isOfNode);
});

test('many zones and locales in one evaluation take too much, and no longer than others', () => {
  const effort = { steps: 0 };
  const compiled = compileTemplate('{{ input.zones.all(zone, now.getHours(zone) >= 0) }}', scope, '');
  assert.ok('evaluate' in compiled);
  const zones = Array.from({ length: 4000 }, (_, at) => `Etc/Nowhere-${at}`);
  assert.equal(compiled.evaluate(valuesAt(0, { zones }), effort), false);
  const known = Intl.supportedValuesOf('timeZone');
  const all = Array.from({ length: 100_000 }, (_, at) => known[at % known.length]);
  assert.throws(() => compiled.evaluate(valuesAt(0, { zones: all }), { steps: 0 }), { code: 'expression_too_costly' });
  assert.ok(effort.steps < stepsMax);
});
