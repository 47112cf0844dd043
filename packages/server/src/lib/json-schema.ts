/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One of an object. */
export type ObjectSchema = JsonSchema & { readonly properties: Readonly<Record<string, JsonSchema>> };

export const text: JsonSchema = { type: 'string' };
export const guid: JsonSchema = { type: 'string', format: 'uuid' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };

/** One of the schemas of the OpenAPI document that it is in. */
export function schemaReference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema of a reply: every member is there, but for the optional ones. Later versions may add members. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): ObjectSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

/** The schema of a body without other members: every member is needed, but for the optional ones. */
export function closedObjectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): ObjectSchema {
  return { ...objectOf(properties, optional), additionalProperties: false };
}

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** One of them alone, or a list of several. */
export function orListOf(schema: JsonSchema, maxItems?: number): JsonSchema {
  const list = { ...arrayOf(schema), minItems: 1, ...(maxItems === undefined ? {} : { maxItems }) };
  return anyOf([schema, list]);
}

export function orNull(schema: JsonSchema): JsonSchema {
  return anyOf([schema, { type: 'null' }]);
}

export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only = {}, ...others] = schemas;
  return others.length === 0 ? only : { anyOf: schemas };
}
