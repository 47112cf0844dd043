import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appApi } from '@freehold/contract/app';
import { managementApi } from '@freehold/contract/management';
import type { Route } from '@freehold/contract/route';
import { canonicalForm } from '../../api/serve.ts';
import { checkSchema } from '../../lib/check-schema.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';

interface Described {
  /** Such as `listRuns?/since`. */
  readonly place: string;
  /** The schema of a route's whole input: `reach` puts a value into the place. */
  readonly schema: JsonSchema;
  readonly reach: (value: unknown) => unknown;
  readonly at: (value: unknown) => unknown;
  readonly format: string;
}

type Step = Pick<Described, 'place' | 'reach' | 'at'>;

/** Each place of a parameter or a member for which a description names a format. */
function placesOf(whole: JsonSchema, name: string): readonly Described[] {
  const found: Described[] = [];
  const look = (schema: JsonSchema, { place, reach, at }: Step): void => {
    if (typeof schema.format === 'string') found.push({ place, schema: whole, reach, at, format: schema.format });
    for (const [member, shape] of Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>))
      look(shape, {
        place: `${place}/${member}`,
        reach: (value) => reach({ [member]: value }),
        at: (value) => (at(value) as Readonly<Record<string, unknown>>)[member],
      });
    for (const branch of [schema.anyOf, schema.oneOf].flat() as readonly (JsonSchema | undefined)[])
      if (branch !== undefined) look(branch, { place, reach, at });
    if (typeof schema.items === 'object' && schema.items !== null)
      look(schema.items as JsonSchema, {
        place: `${place}/0`,
        reach: (value) => reach([value]),
        at: (value) => (at(value) as readonly unknown[])[0],
      });
    const { additionalProperties } = schema;
    // The handlers would get such a value in the spelling of its sender.
    assert.ok(typeof additionalProperties !== 'object' || !JSON.stringify(additionalProperties).includes('"format"'));
  };
  look(whole, { place: name, reach: (value) => value, at: (value) => value });
  return found;
}

const routes: readonly [string, Route][] = [...Object.entries(managementApi), ...Object.entries(appApi)];
const described = routes.flatMap(([name, { query, body }]) => [
  ...(query === undefined ? [] : placesOf(query as JsonSchema, `${name}?`)),
  ...(body === undefined ? [] : placesOf(body as JsonSchema, name)),
]);

function placesWith(format: string): readonly Described[] {
  const places = described.filter((one) => one.format === format);
  assert.ok(places.length > 0, format);
  return places;
}

/** The mistakes at the place alone: what else the route needs is missing. */
function mistakesOf({ schema, reach, place }: Described, value: unknown): readonly string[] {
  const pointer = place.slice(place.indexOf('/'));
  return checkSchema(schema, reach(value)).flatMap((error) => (error.pointer === pointer ? error.message : []));
}

function handed({ schema, reach, at }: Described, value: unknown): unknown {
  return at(canonicalForm(schema)?.(reach(value)));
}

const instants: readonly (readonly [string, string])[] = [
  ['of Go', '2030-01-31T12:00:00.123456789Z'],
  ['of Go in a zone', '2030-01-31T14:00:00.123456789+02:00'],
  ['of Python', '2030-01-31T12:00:00.123456+00:00'],
  ['of JavaScript', '2030-01-31T12:00:00.123Z'],
  ['in lower case', '2030-01-31t12:00:00.123z'],
];

test('each time that a route takes is read alike in the forms of Go, Python and JavaScript', () => {
  for (const one of placesWith('date-time'))
    for (const [form, text] of instants) {
      assert.deepEqual(mistakesOf(one, text), [], `${one.place} ${form}`);
      assert.equal(handed(one, text), '2030-01-31T12:00:00.123Z', `${one.place} ${form}`);
    }
});

const noInstants = [
  ...['', '-1', '1.5', 'March 7', '1769860800', '2030-01-31T12:00:00', '2030-01-31 12:00:00Z', '2030-02-30T12:00:00Z'],
  ...['2030-01-31T12:00:60Z', '2030-01-31T24:00:00Z', '2030-01-31T12:00Z', ' 2030-01-31T12:00:00Z', '20300131T120000Z'],
  ...['2030-01-31T12:00:00Z\n', '2030-01-31T12:00:00+0200', `2030-01-31T12:00:00.${'0'.repeat(45)}Z`],
];

test('each time that a route takes is refused in another form, with an example', () => {
  for (const one of placesWith('date-time'))
    for (const text of noInstants) {
      const [message, ...others] = mistakesOf(one, text);
      assert.match(message ?? '', /must be a time with its zone, such as `2026-11-20T09:30:00Z`/, one.place + text);
      assert.deepEqual(others, []);
    }
});

test('a day is a time only where the description says so', () => {
  const days = described.flatMap(({ format, place }) => (format === 'date' ? place : []));
  assert.deepEqual(
    placesWith('date-time').flatMap((one) => (mistakesOf(one, '2030-01-31').length === 0 ? one.place : [])),
    days.filter((place) => !place.startsWith('exportUsage?')),
  );
  for (const one of placesWith('date')) {
    assert.equal(handed(one, '2030-01-31'), '2030-01-31');
    for (const text of ['2030-02-30', '2030-1-31', '31.1.2030', 'today', ''])
      assert.match(mistakesOf(one, text).join(), /a day, such as `2026-11-20`/, one.place + text);
  }
});

const id = '01890a5d-ac96-774b-bcce-b302099a8057';

test('each id that a route takes is a UUID, and handlers get it in lower case', () => {
  for (const one of placesWith('uuid')) {
    assert.deepEqual(mistakesOf(one, id.toUpperCase()), [], one.place);
    assert.equal(handed(one, id.toUpperCase()), id, one.place);
    for (const text of ['x', '', id.slice(1), `${id}0`, ` ${id}`, `${id}\n`, `{${id}}`, id.replaceAll('-', '')])
      assert.match(mistakesOf(one, text).join(), /must be a UUID, such as/, one.place + text);
  }
});

const noAddresses = [
  ...['', 'x', 'http:127.0.0.1/x', 'https:/example.com', 'https:///example.com', 'https://', '//example.com/x'],
  ...['https://example.com/a b', ' https://example.com', 'https://example.com/\t', 'https://exa\nmple.com/'],
  ...['https:\\\\example.com\\x', 'https://example.com\\@other.example/', 'https://example.com/%zz'],
  ...['https://example.com/"', 'https://bücher.example/', 'https://example.com:99999/', 'https://[::1/x'],
];

test('each address that a route takes is written as RFC 3986 has it', () => {
  for (const one of placesWith('uri')) {
    for (const text of [
      ...['https://example.com', 'HTTPS://Example.com:8443/a%20b/?q=1&r[]=2'.replace('[]', '%5B%5D')],
      ...['http://[::1]:80/x', 'https://user:word@example.com/#part'],
    ])
      assert.deepEqual(mistakesOf(one, text), [], one.place + text);
    for (const text of noAddresses)
      assert.match(mistakesOf(one, text).join(), /must be an absolute address, such as/, one.place + text);
  }
});

test('each email that a route takes is an email address', () => {
  for (const one of placesWith('email')) {
    assert.deepEqual(mistakesOf(one, 'ann@example.com'), [], one.place);
    for (const text of ['ann', 'ann@', 'a nn@example.com', 'ann@example.com\n', 'ann@@example.com'])
      assert.match(mistakesOf(one, text).join(), /must be an email address/, one.place + text);
  }
});
