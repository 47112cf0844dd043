/** The inputs of logic blocks, from their JSON Schemas. */
import { list, members } from './definition.ts';
import { arrayOf, literal, type Member, objectType, unionOf } from './type-text.ts';

/** A logic block as `GET /config/logicblock/{name}` shows its content. */
export interface LogicBlock {
  readonly name: string;
  readonly input_schema?: unknown;
}

const depthMax = 32;

/** The values that a schema allows, or more: what it says beside types is left to the platform. */
export function inputType(input: unknown, indent: string, depth = 0): string {
  const schema = members(input);
  if (depth > depthMax) return 'unknown';
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map(constant));
  if ('const' in schema) return constant(schema.const);
  const types = [schema.type].flat().filter((type) => type !== undefined);
  if (types.length === 0) return 'properties' in schema ? objectInput(schema, indent, depth) : 'unknown';
  return unionOf(types.map((type) => typed(type, schema, { indent, depth })));
}

function typed(
  type: unknown,
  schema: Readonly<Record<string, unknown>>,
  { indent, depth }: { readonly indent: string; readonly depth: number },
): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'null':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return arrayOf(inputType(schema.items, indent, depth + 1));
    case 'object':
      return objectInput(schema, indent, depth);
    default:
      return 'unknown';
  }
}

function objectInput(schema: Readonly<Record<string, unknown>>, indent: string, depth: number): string {
  const required = new Set(list(schema.required));
  const properties = Object.entries(members(schema.properties)).map(([name, property]): Member => {
    const { description } = members(property);
    return {
      name,
      type: inputType(property, `${indent}  `, depth + 1),
      isOptional: !required.has(name),
      isWritable: true,
      description: typeof description === 'string' ? description : undefined,
    };
  });
  const others = 'Readonly<Record<string, unknown>>';
  if (properties.length === 0) return others;
  const known = objectType(properties, indent);
  return schema.additionalProperties === false ? known : `${known} & ${others}`;
}

function constant(value: unknown): string {
  if (typeof value === 'string') return literal(value);
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? String(value) : 'unknown';
}
