import fc from 'fast-check';
import type { FieldDefinition, ItemDefinition } from '../../definition.ts';
import { plainTypes } from '../../field-types/plain-types.ts';

/** Any definition of a field of one type, with hints that do not contradict each other. */
export function fieldOf(colType: string): fc.Arbitrary<FieldDefinition> {
  return fc
    .tuple(hintsOf(colType), fc.boolean())
    .map(([hints, validate]) => ({ name: 'x', colType, validate, ...hints }));
}

/** Values that a field takes, values that it nearly takes, and values of any kind. */
export function valuesFor(field: FieldDefinition): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: likelyFor(field) }, { weight: 1, arbitrary: fc.jsonValue() });
}

function hintsOf(colType: string): fc.Arbitrary<Partial<FieldDefinition>> {
  switch (colType) {
    case 'string': {
      const pattern = fc.record({ pattern: fc.constantFrom(...patterns) }, { requiredKeys: [] });
      return fc.tuple(lengths(4), pattern).map(([one, other]) => ({ ...one, ...other }));
    }
    case 'encrypted':
      return lengths(4);
    case 'number':
      return bounds(fc.double({ min: -3, max: 3, noNaN: true }));
    case 'integer':
      return bounds(fc.integer({ min: -3, max: 3 }));
    case 'enum':
      return fc
        .uniqueArray(fc.constantFrom('a', 'b', 'é', '1'), { minLength: 1 })
        .map((enumValues) => ({ enumValues }));
    case 'formula':
      return fc.constantFrom('', '{a}', 'x{a}{b}').map((formula) => ({ formula }));
    case 'array':
      return fc.tuple(lengths(3), fc.option(items, { nil: undefined })).map(([counted, of]) => ({
        ...counted,
        ...(of === undefined ? {} : { items: of }),
      }));
    default:
      return fc.constant({});
  }
}

/** Patterns in the syntax of RE2. The last ones have no translation. */
const patterns = [
  '^a',
  'b$',
  '^[A-Z]{2}-\\d{1,3}$',
  'a.b',
  '^\\s*\\S+\\s*$',
  '[\\s\\S]b',
  '^\\p{L}+$',
  '(?i)AB',
  '[[:alpha:]]',
];

const items: fc.Arbitrary<ItemDefinition> = fc
  .constantFrom(...plainTypes.map((type) => type.colType))
  .chain((colType) => hintsOf(colType).map((hints) => ({ colType, ...hints })));

function lengths(max: number): fc.Arbitrary<Partial<FieldDefinition>> {
  const pair = fc
    .tuple(fc.nat({ max }), fc.nat({ max }))
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
  return fc.tuple(pair, fc.boolean(), fc.boolean()).map(([[minlength, maxlength], hasMin, hasMax]) => ({
    ...(hasMin ? { minlength } : {}),
    ...(hasMax ? { maxlength } : {}),
  }));
}

function bounds(number: fc.Arbitrary<number>): fc.Arbitrary<Partial<FieldDefinition>> {
  return fc.tuple(number, number, fc.boolean(), fc.boolean()).map(([one, other, hasMin, hasMax]) => ({
    ...(hasMin ? { min: Math.min(one, other) } : {}),
    ...(hasMax ? { max: Math.max(one, other) } : {}),
  }));
}

function likelyFor(field: FieldDefinition): fc.Arbitrary<unknown> {
  switch (field.colType) {
    case 'number':
    case 'integer':
    case 'autoincrement':
      return numbers;
    case 'boolean':
      return fc.boolean();
    case 'date':
      return changed(date);
    case 'datetime':
      return changed(datetime);
    case 'guid':
      return changed(
        fc.oneof(
          fc.uuid(),
          fc.uuid().map((text) => text.toUpperCase()),
        ),
      );
    case 'enum':
      return fc.constantFrom('a', 'b', 'é', '1', 'A', '');
    case 'email':
      return changed(email);
    case 'url':
      return changed(url);
    case 'json':
      return fc.jsonValue();
    case 'array':
      return fc.array(valuesFor({ name: 'x', ...field.items }), { maxLength: 4 });
    default:
      return texts;
  }
}

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('a', 'b', 'A', 'B', '-', '1', ' ', '\n', '\r', '\u2028', 'é', '😀'),
    maxLength: 6,
  }),
  fc.stringMatching(/^[A-Z]{2}-\d{1,4}$/),
);

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -4, max: 4, noNaN: true }),
  fc.integer({ min: -4, max: 4 }),
  fc.constantFrom(
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER + 1,
    Number.MIN_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER - 1,
    1e300,
    -0,
  ),
);

const digits = (count: number, max: number) => fc.nat({ max }).map((number) => String(number).padStart(count, '0'));
const year = fc.oneof(digits(4, 9999), fc.constantFrom('0000', '1900', '2000', '2024', '9999'));
const date = fc.tuple(year, digits(2, 13), digits(2, 32)).map((parts) => parts.join('-'));
const zone = fc.oneof(
  fc.constantFrom('Z', 'z', ''),
  fc
    .tuple(fc.constantFrom('+', '-'), digits(2, 25), digits(2, 61))
    .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
);
const time = fc.tuple(digits(2, 25), digits(2, 61), digits(2, 61)).map((parts) => parts.join(':'));
const fraction = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.nat())
    .map(([count, number]) => `.${String(number).padStart(count, '0').slice(-count)}`),
);
const datetime = fc.tuple(date, fc.constantFrom('T', 't', ' '), time, fraction, zone).map((parts) => parts.join(''));

const name = fc.string({
  unit: fc.constantFrom('a', 'B', '1', '.', '-', '_', '+', 'é', '\u200b', ' ', 'x'.repeat(30)),
  minLength: 1,
  maxLength: 5,
});
const email = fc.tuple(name, name).map((parts) => parts.join('@'));
const rest = fc.string({
  unit: fc.constantFrom('a', '.', '/', ':', '?', '#', '%', '[', ']', '\\', ' ', 'é', '\t', '1', 'x'.repeat(500)),
  maxLength: 6,
});
const url = fc
  .tuple(fc.constantFrom('http://', 'https://', 'https://a.b/', 'HTTPS://', 'ftp://', '//', 'http:/'), rest)
  .map((parts) => parts.join(''));

/** A text as it is, or with one character more, less or other than that. */
function changed(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc
    .tuple(text, fc.nat(), fc.nat({ max: 1 }), fc.constantFrom('', '0', 'Z', '-', ' ', 'é'))
    .map(([whole, at, removed, put]) => {
      const place = at % (whole.length + 1);
      return whole.slice(0, place) + put + whole.slice(place + removed);
    });
  return fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: change });
}
