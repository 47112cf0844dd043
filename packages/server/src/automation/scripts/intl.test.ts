/** Tests which locales and time zones of the host scripts can use, and which data they cannot get. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { IntlBridge } from './intl-bridge.ts';
import { loadEngine, runScript } from './run-script.ts';
import { ScriptError, scriptLimits } from './script-outcome.ts';

const engine = await loadEngine();
const now = Date.parse('2026-11-20T09:30:00Z');

function run(source: string, input: unknown = {}): unknown {
  const args = JSON.stringify([input, {}, null, {}]);
  return JSON.parse(runScript(engine, { source, args, now, seed: 'run 0001' }).json);
}

/** Why a script gave no value. */
function refusal(source: string, input: unknown = {}): ScriptError {
  try {
    run(source, input);
  } catch (error) {
    assert.ok(error instanceof ScriptError, String(error));
    return error;
  }
  assert.fail(`not refused: ${source}`);
}

const time = '2026-07-01T10:00:00Z';

for (const [source, expected] of [
  [`new Date('${time}').toLocaleString('de-DE', { timeZone: 'Asia/Tokyo' })`, '1.7.2026, 19:00:00'],
  [`new Date('${time}').toLocaleDateString('de-DE', { dateStyle: 'full' })`, 'Mittwoch, 1. Juli 2026'],
  [`new Date('${time}').toLocaleTimeString('en-GB', { timeZone: 'America/New_York', timeStyle: 'short' })`, '06:00'],
  // Without a zone it is UTC, and without a locale the English of the United States, wherever the platform runs.
  [`new Date('${time}').toLocaleTimeString('de-DE')`, '10:00:00'],
  [`new Date('${time}').toLocaleString()`, '7/1/2026, 10:00:00 AM'],
  [`new Date('x').toLocaleString('de-DE')`, 'Invalid Date'],
  // The hour that a clock leaves out in spring, and the hour that it shows twice in autumn.
  ...(['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'] as const).map(
    (at, index) =>
      [
        `new Intl.DateTimeFormat('de-DE', { timeZone: 'Europe/Berlin', timeStyle: 'long' }).format(new Date('${at}'))`,
        ['01:59:59 MEZ', '03:00:00 MESZ', '02:30:00 MESZ', '02:30:00 MEZ'][index],
      ] as const,
  ),
  ['(1234567.891).toLocaleString("de-DE")', '1.234.567,891'],
  ['(1234.5).toLocaleString("de-DE", { style: "currency", currency: "EUR" })', '1.234,50\u00a0€'],
  ['(12345678901234567890n).toLocaleString("de-DE")', '12.345.678.901.234.567.890'],
  ['new Intl.NumberFormat("de-DE").format("12345678901234567890.25")', '12.345.678.901.234.567.890,25'],
  [
    '[1234.5, null, new Date(0), [2.5]].toLocaleString("de-DE", { timeZone: "UTC" })',
    '1.234,5,,1.1.1970, 00:00:00,2,5',
  ],
  ['new Float64Array([1.5, 2.5]).toLocaleString("de-DE")', '1,5,2,5'],
  ['["z", "ä", "a"].sort((a, b) => a.localeCompare(b, "de")).join("")', 'aäz'],
  ['["z", "ä", "a"].sort(new Intl.Collator("sv").compare).join("")', 'azä'],
  ['["a10", "a9"].sort(new Intl.Collator("en", { numeric: true }).compare).join()', 'a9,a10'],
  ['"istanbul".toLocaleUpperCase("tr")', 'İSTANBUL'],
  ['"ISPARTA".toLocaleLowerCase(["tr", "en"])', 'ısparta'],
  ['"i".toLocaleUpperCase()', 'I'],
  ['new Intl.PluralRules("pl").select(3)', 'few'],
  ['new Intl.ListFormat("de", { type: "conjunction" }).format(["a", "b", "c"])', 'a, b und c'],
  ['new Intl.RelativeTimeFormat("de", { numeric: "auto" }).format(-1, "day")', 'gestern'],
  ['new Intl.DisplayNames("de", { type: "region" }).of("JP")', 'Japan'],
  ['Intl.NumberFormat("de-DE").format(-0)', '-0'],
  [`Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format()`, 'Nov 20, 2026'],
  ['new Intl.DateTimeFormat("de").resolvedOptions().timeZone', 'UTC'],
  ['new Intl.DateTimeFormat("de").formatToParts(0).map(({ type }) => type).join()', 'day,literal,month,literal,year'],
  [
    'new Intl.DateTimeFormat("de").formatRange(0, 86400000 * 40)',
    new Intl.DateTimeFormat('de', { timeZone: 'UTC' }).formatRange(0, 86_400_000 * 40),
  ],
  ['Intl.supportedValuesOf("timeZone").includes("Asia/Tokyo")', true],
  ['Intl.getCanonicalLocales("DE-de")[0]', 'de-DE'],
  ['Intl.NumberFormat.supportedLocalesOf(["xx", "de"]).join()', 'de'],
  ['Intl.NumberFormat.name + typeof new Intl.NumberFormat("de").format', 'NumberFormatfunction'],
  // A value on its own keeps its format.
  ['[1.5, 2.5].map(new Intl.NumberFormat("de").format).join(" ")', '1,5 2,5'],
] as const)
  test(`a script gets what it asks for: ${source}`, () => {
    assert.equal(run(`return ${source}`), expected);
  });

test('dates are written as the runtime writes them, for any options', () => {
  const option = fc.record(
    {
      timeZone: fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns'),
      weekday: fc.constantFrom('long', 'short'),
      year: fc.constantFrom('numeric', '2-digit'),
      hour: fc.constantFrom('numeric', '2-digit'),
      hour12: fc.boolean(),
      fractionalSecondDigits: fc.constantFrom(1, 3),
      dateStyle: fc.constantFrom('full', 'short'),
      timeStyle: fc.constantFrom('medium', 'short'),
    },
    { requiredKeys: ['timeZone'] },
  );
  const method = fc.constantFrom('toLocaleString', 'toLocaleDateString', 'toLocaleTimeString');
  const at = fc.integer({ min: -1e13, max: 1e13 });
  fc.assert(
    fc.property(method, fc.constantFrom('de-DE', 'en-US', 'ja'), option, at, (name, locale, options, moment) => {
      const own = new Date(moment);
      const written = (): unknown => {
        try {
          return Reflect.apply(Reflect.get(own, name) as (...args: unknown[]) => string, own, [locale, options]);
        } catch (error) {
          return error instanceof Error ? error.name : error;
        }
      };
      const source = `try { return new Date(input.at)[input.name](input.locale, input.options) } catch (error) { return error.name }`;
      assert.equal(run(source, { at: moment, name, locale, options }), written());
    }),
    { numRuns: thinned(100) },
  );
});

for (const [source, message] of [
  ['new Date(0).toLocaleString("de-DE", { timeZone: "Europe/Berln" })', 'there is no time zone `Europe/Berln`'],
  ['new Date(0).toLocaleString("xx")', 'there is no locale `xx`'],
  ['(1).toLocaleString("de_DE")', 'Incorrect locale information provided'],
  ['"a".localeCompare("b", "tlh")', 'there is no locale `tlh`'],
  ['"a".toLocaleUpperCase("zz")', 'there is no locale `zz`'],
  ['new Intl.Segmenter("de")', 'not a function'],
  ['Temporal.Now.instant()', "'Temporal' is not defined"],
  ['new Intl.NumberFormat("de", { style: "currency" })', 'Currency code is required with currency style.'],
  [
    'new Intl.NumberFormat("de", { style: "none" })',
    'Value none out of range for Intl.NumberFormat options property style',
  ],
  ['new Intl.DateTimeFormat("de").format("x")', 'Invalid time value'],
  ['new Intl.DateTimeFormat("de").format(Symbol())', 'cannot convert symbol to number'],
  ['Intl.DateTimeFormat.prototype.format', 'a method of Intl is called on what is no format'],
  ['Reflect.apply(new Intl.PluralRules("de").select, {}, [1])', 'a method of Intl is called on what is no format'],
  ['new Intl.NumberFormat("de", null)', 'options are an object'],
  ['new Intl.NumberFormat(7)', 'Intl takes a list of texts'],
  ['Intl.supportedValuesOf("secrets")', 'Invalid key : secrets'],
  ['new Date(0).toLocaleDateString("de", { timeStyle: "short" })', 'Invalid option : timeStyle'],
  ['Number.prototype.toLocaleString.call("a")', 'not a number'],
] as const)
  test(`a script that asks for what is not there throws: ${source}`, () => {
    const { fault, message: problem } = refusal(`return ${source}`);
    assert.deepEqual(
      [
        fault,
        problem.replace(
          /^Incorrect locale information provided.*|^Invalid language tag: .*/,
          'Incorrect locale information provided',
        ),
      ],
      ['failed', message],
    );
  });

test('what goes to the host is bounded: its calls, its formats, and each text', () => {
  const message = (source: string) => refusal(source).message;
  assert.equal(
    message('const c = new Intl.Collator("de"); for (;;) c.compare("a", "b")'),
    'a script makes at most 20000 calls of Intl',
  );
  assert.equal(
    message(
      'for (let i = 0; ; i++) new Intl.NumberFormat("de", { minimumFractionDigits: i % 90, style: i > 89 ? "percent" : "decimal" })',
    ),
    'a script makes at most 100 different formats of Intl',
  );
  // The same format is one.
  assert.equal(run('let n = 0; for (let i = 0; i < 1000; i++) n += (i).toLocaleString("de").length; return n'), 2890);
  assert.equal(message('"a".repeat(1e6).localeCompare("b", "de")'), 'a text for Intl has at most 10000 characters');
  assert.equal(
    message('new Intl.ListFormat("de").format(Array(1001).fill("a"))'),
    'a list for Intl has at most 1000 elements',
  );
  assert.equal(message('new Intl.NumberFormat(Array(11).fill("de"))'), 'a list for Intl has at most 10 elements');
  assert.equal(message('(10n ** 20000n).toLocaleString("de")'), 'a text for Intl has at most 10000 characters');
  assert.match(
    message('new Intl.NumberFormat("de", { style: "x".repeat(101) })'),
    /the option style takes a short text/,
  );
});

test('a script that asks the host for ever ends by its time, and one without memory by its memory', () => {
  assert.equal(refusal('for (;;) try { (1).toLocaleString("xx") } catch {}').fault, 'timeout');
  const full = `const a = []; try { for (;;) a.push(new Array(1e5).fill(1.5)) } catch {}
    try { return new Date(0).toLocaleString("de") } catch (error) { a.length = 0; return String(error) }`;
  try {
    assert.equal(typeof run(full), 'string');
  } catch (error) {
    assert.ok(error instanceof ScriptError && ['memory', 'timeout', 'failed'].includes(error.fault), String(error));
  }
  assert.equal(run('return (1.5).toLocaleString("de")'), '1,5');
});

/** Scripts that change what is built in before they ask. */
const poisons: readonly string[] = [
  'JSON.stringify = JSON.parse = () => "poisoned"; Object.prototype.toJSON = () => "poisoned"; Array.prototype.toJSON = () => 1',
  'WeakMap.prototype.get = WeakMap.prototype.set = () => "0"; String.prototype.slice = () => "poisoned"; Reflect.apply = () => 1',
  'Object.prototype.timeZone = "Asia/Tokyo"; Object.prototype.resolvedOptions = 1; Object.create = () => null',
  'Array.isArray = () => true; Array.prototype.join = Array.prototype.map = () => { throw 1 }; globalThis.String = globalThis.Number = undefined',
  'Object.defineProperty(Object.prototype, "0", { get() { throw 1 }, set() { throw 2 }, configurable: true })',
  'Function.prototype.call = Function.prototype.apply = () => { throw 1 }',
];

for (const poison of poisons)
  test(`a script that changes what is built in changes what it is given in nothing but its own options: ${poison.slice(0, 50)}`, () => {
    const code = 'return new Intl.NumberFormat("de", { minimumFractionDigits: 1 }).format(1234)';
    assert.equal(run(`${poison}; ${code}`), '1.234,0');
  });

test('L01: no format, answer or error of Intl leads to the host', () => {
  const looks = `const found = [];
    const look = (value, depth) => {
      if (depth > 4 || (typeof value !== 'object' && typeof value !== 'function') || value === null) return;
      for (const name of Reflect.ownKeys(value)) {
        if (name === 'constructor' && typeof value[name] === 'function')
          found.push(value[name] === Object || value[name].constructor('return typeof process')());
        try { look(value[name], depth + 1) } catch (error) { look(error, 4) }
      }
    };
    look(Intl, 0); look(new Intl.DateTimeFormat('de').formatToParts(0), 0);
    try { new Intl.NumberFormat('xx') } catch (error) { found.push(error.constructor === RangeError, String(error.stack).includes('/')) }
    return [...new Set(found.map(String))].sort();`;
  assert.deepEqual(run(looks), ['false', 'true', 'undefined']);
  assert.equal(run('return typeof host'), 'undefined');
});

test('L04: the bridge answers any texts, with plain data or an error, and changes nothing of the host', () => {
  const kinds = ['DateTimeFormat', 'NumberFormat', 'Collator', 'ListFormat', 'DisplayNames', 'Case', 'Time'];
  const odd = ['0', '1', '-1', '', '__proto__', 'constructor', 'toString'];
  const methods = [
    'format',
    'formatToParts',
    'compare',
    'of',
    'upper',
    'resolvedOptions',
    'supportedLocalesOf',
    ...odd,
  ];
  const texts = [
    ...[
      '["de"]',
      '["de","xx"]',
      '{"timeZone":"Asia/Tokyo"}',
      '{"type":"region"}',
      'd1.5',
      'n12',
      's1e5',
      'NaN',
      '',
      '7',
    ],
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"style":"currency","currency":"EUR"}',
  ];
  const text = fc.oneof(fc.constantFrom(...texts), fc.json(), fc.string({ unit: 'binary', maxLength: 30 }));
  const opening = fc.tuple(fc.constantFrom(...kinds), fc.constant('new'), fc.constantFrom('', '["de"]'), text);
  const call = fc.tuple(fc.constantFrom(...kinds, ...odd), fc.constantFrom('new', ...methods), text, text);
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  let answered = 0;
  fc.assert(
    fc.property(opening, opening, fc.array(call, { maxLength: 12 }), (first, second, calls) => {
      const bridge = new IntlBridge();
      for (const request of [first, second, ...calls]) {
        const answer = bridge.answer(...request);
        assert.match(answer, /^(\+|-RangeError:|-TypeError:)/);
        assert.ok(answer.length <= scriptLimits.intlResultCharacters + 1);
        if (answer.startsWith('+')) JSON.parse(answer.slice(1));
        if (answer.startsWith('+')) answered += 1;
      }
    }),
    { numRuns: thinned(500) },
  );
  assert.ok(answered > 50, String(answered));
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
  assert.equal('polluted' in {}, false);
});

test('a script whose source does not name them gets no methods that would answer without a locale', () => {
  for (const name of ['String', 'DateString', 'TimeString'])
    assert.match(
      refusal(`return new Date(0)['toLo' + 'cale${name}']('de')`.replace('cale', "' + 'cale")).message,
      /names it$/,
    );
  assert.match(refusal("return 'a'['lo' + 'caleCompare']('b')".replace('cale', "' + 'cale")).message, /names it$/);
  assert.equal(refusal('return eval("In" + "tl")').message, "'Intl' is not defined");
});

test('`Intl` has what is documented, and nothing of the methods of values', () => {
  assert.deepEqual(run('return Object.getOwnPropertyNames(Intl).sort()'), [
    ...[
      'Collator',
      'DateTimeFormat',
      'DisplayNames',
      'ListFormat',
      'NumberFormat',
      'PluralRules',
      'RelativeTimeFormat',
    ],
    ...['getCanonicalLocales', 'supportedValuesOf'],
  ]);
});
