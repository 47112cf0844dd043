/** Values made from the schemas of a document, for requests that fit it and for requests that do not. */
import fc from 'fast-check';
import type { OpenapiDocument, Schema } from './openapi-document.ts';

/** Texts that mean something: a schema with a pattern or a format gets those of them that fit it. */
const texts = [
  '*',
  '"1"',
  'open',
  'thing',
  'A1',
  'abc',
  'ann@example.com',
  'https://example.com',
  'https://example.com/a?b=c',
  '2026-11-20',
  '2024-02-29',
  '2026-11-20T09:30:00Z',
  '2026-11-20T09:30:00.5+01:00',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  'org#{org};data#thing',
  // A verifier of PKCE and its challenge (RFC 7636, appendix B).
  'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  'listorder',
  'create*',
  '/item/order/*',
  '$\u007buser.id}',
  'record.owner_id',
  'request.ip',
  '10.0.0.1',
  '10.0.0.0/8',
  '2001:db8::1',
  '2001:db8::/32',
  '-12.50',
];

/** Values that a schema takes. */
export function valuesOf(document: OpenapiDocument, schema: Schema): fc.Arbitrary<unknown> {
  const { const: only, enum: some, anyOf, type, pattern, format } = schema;
  if (schema.$ref !== undefined) return valuesOf(document, document.resolve(schema));
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(some)) return fc.constantFrom(...some);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one: Schema) => valuesOf(document, one)));
  switch (type) {
    case 'string':
      if (pattern === undefined && format === undefined) return textOf(schema);
      return formedText(document, schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(document, schema.items as Schema), lengths(schema.minItems, schema.maxItems));
    case 'object':
      return objectOf(document, schema);
    default:
      return anything;
  }
}

function formedText(document: OpenapiDocument, schema: Schema): fc.Arbitrary<string> {
  const known = texts.filter((text) => document.fits(schema, text));
  if (known.length > 0) return fc.constantFrom(...known);
  return fc.stringMatching(new RegExp(String(schema.pattern), 'u')).filter((text) => document.fits(schema, text));
}

/** Values of which a schema takes hardly any. */
const junk = fc.constantFrom<unknown>(null, true, -1, 1.5, '', 'junk', 'x'.repeat(300), [], ['junk'], {}, { a: 1 });

/** A value changed in one place, so that it may fit no more. */
export function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return junk;
  const names = Object.keys(value);
  const other = fc
    .tuple(fc.constantFrom('unheard_of', ...names), junk)
    .map(([name, bad]) => ({ ...value, [name]: bad }));
  const less = fc
    .constantFrom('', ...names)
    .map((name) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)));
  return fc.oneof({ weight: 4, arbitrary: other }, { weight: 2, arbitrary: less }, junk);
}

const anything = fc.oneof(fc.constantFrom<unknown>('text', 7, 2.5, true, [], [1, 'a'], {}, { a: { b: null } }));

const character = fc.constantFrom('a', 'B', '7', ' ', 'é', '😀', '"', '\\', '/', ',');

function textOf({ minLength, maxLength }: Schema): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...lengths(minLength, maxLength) });
}

function numberOf({ type, minimum, maximum }: Schema): fc.Arbitrary<number> {
  const min = typeof minimum === 'number' ? minimum : -1000;
  const max = typeof maximum === 'number' ? maximum : 1000;
  const whole = fc.integer({ min: Math.ceil(Math.max(min, -1000)), max: Math.floor(Math.min(max, 1000)) });
  if (type === 'integer') return whole;
  return fc.oneof(
    whole,
    fc.double({ min, max, noNaN: true }).filter((value) => !Number.isInteger(value)),
  );
}

function lengths(least: unknown, most: unknown): { readonly minLength: number; readonly maxLength: number } {
  const minLength = typeof least === 'number' ? least : 0;
  return { minLength, maxLength: Math.min(typeof most === 'number' ? most : Number.POSITIVE_INFINITY, minLength + 4) };
}

/** A value has only a few of so many. */
const manyMembers = 60;

function objectOf(document: OpenapiDocument, schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>);
  const requiredKeys = (schema.required ?? []) as string[];
  const model = Object.fromEntries(properties.map(([name, property]) => [name, valuesOf(document, property)]));
  const { propertyNames = { type: 'string' }, additionalProperties: others } = schema;
  if (typeof others === 'object' && properties.length === 0)
    return fc.dictionary(
      valuesOf(document, propertyNames as Schema) as fc.Arbitrary<string>,
      valuesOf(document, others as Schema),
      {
        minKeys: 1,
        maxKeys: 2,
      },
    );
  if (properties.length < manyMembers) return fc.record(model, { requiredKeys });
  const some = fc.subarray(Object.keys(model), { minLength: 1, maxLength: 3 });
  return some.chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, model[name] ?? anything]))));
}
