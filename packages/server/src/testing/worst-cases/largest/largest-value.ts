/** The largest value that a schema of a route's description takes. */
import { checkSchema } from '../../../lib/check-schema.ts';
import type { JsonSchema } from '../../../lib/json-schema.ts';

/**
 * Of all members, elements and characters as many as the schema and the room permit.
 * @throws Error for a schema of which no value can be made.
 */
export function largestValue(schema: JsonSchema, bytesMax: number): unknown {
  let value = valueFor(schema, 1);
  for (let most = 2; most <= bytesMax; most *= 2) {
    const larger = valueFor(schema, most);
    if (Buffer.byteLength(JSON.stringify(larger)) > bytesMax) break;
    value = larger;
  }
  return value;
}

/** Of an array or a text at most so many elements or characters. */
function valueFor(schema: JsonSchema, most: number): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return longestOf(schema.enum as readonly unknown[]);
  const branches = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (branches !== undefined) return longestOf(branches.map((branch) => valueFor(branch, most)));
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return textOf(schema, most);
    case 'integer':
    case 'number':
      return Number(schema.maximum ?? Number.MAX_SAFE_INTEGER);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return arrayOf(schema, most);
    case 'object':
      return objectOf(schema, most);
    default:
      return Array.from({ length: most }, () => 0);
  }
}

function arrayOf({ items = {}, maxItems }: JsonSchema, most: number): readonly unknown[] {
  const element = valueFor(items as JsonSchema, most);
  const count = Math.min(Number(maxItems ?? most), most);
  // Numbers are mostly taken once each.
  return Array.from({ length: count }, (_, index) => (typeof element === 'number' ? element - index : element));
}

function objectOf({ properties = {}, additionalProperties, propertyNames }: JsonSchema, most: number): unknown {
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, schema]) => [name, valueFor(schema, most)] as const,
  );
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return Object.fromEntries(members);
  const name = propertyNames === undefined ? 'k' : String(valueFor(propertyNames as JsonSchema, 8));
  return Object.fromEntries([...members, [name, valueFor(additionalProperties as JsonSchema, most)]]);
}

/** In bytes, which a schema cannot say. */
const passwordMax = 256;
const formed = [
  'https://example.com/largest',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '9999-12-31T23:59:59Z',
  '9999-12-31',
  'largest',
];

function textOf(schema: JsonSchema, most: number): string {
  const longest = Math.min(Number(schema.maxLength ?? most), schema.format === 'password' ? passwordMax : most, most);
  const length = Math.max(Number(schema.minLength ?? 0), longest);
  const candidates = [
    'a'.repeat(length),
    `${'a'.repeat(Math.max(1, length - 12))}@example.com`,
    `${'a'.repeat(50)}@example.com`,
    ...formed,
  ];
  const fitting = candidates.find((text) => checkSchema(schema, text).length === 0);
  if (fitting === undefined)
    throw new Error(`its schema takes a text that is not made here: ${JSON.stringify(schema)}`);
  return fitting;
}

function longestOf<T>(values: readonly T[]): T {
  const [longest] = values.toSorted((left, right) => JSON.stringify(right).length - JSON.stringify(left).length);
  if (longest === undefined) throw new Error('its schema takes no value');
  return longest;
}
