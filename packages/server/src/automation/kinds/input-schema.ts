import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';

/**
 * A JSON Schema (2020-12) as the input of a block is checked by it: annotations are left out, and so is a `format` other
 * than `email`. What cannot be checked, such as a `$ref` or a `pattern`, is a mistake, since it would be taken for checked.
 */
export function readInputSchema(
  schema: unknown,
): { readonly schema: JsonSchema } | { readonly errors: readonly InputError[] } {
  const errors: InputError[] = [];
  const read = cleaned(schema, { pointer: '', depth: 0, errors });
  return errors.length > 0 ? { errors } : { schema: read };
}

interface SchemaPosition {
  readonly pointer: string;
  readonly depth: number;
  readonly errors: InputError[];
}

const depthMax = 20;
const annotations = ['$schema', '$comment', 'title', 'description', 'examples', 'default', 'deprecated'];
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];

function cleaned(schema: unknown, place: SchemaPosition): JsonSchema {
  const { pointer, depth, errors } = place;
  const refuse = (at: string, message: string): void => {
    errors.push({ pointer: at, code: 'invalid_schema', message });
  };
  if (!isObject(schema) || depth > depthMax) {
    refuse(pointer, `a schema must be a JSON object, and at most ${depthMax} deep`);
    return {};
  }
  const members = Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, unknown])[] => {
    if (annotations.includes(keyword) || (keyword === 'format' && value !== 'email')) return [];
    const at = pointer + pointerTo(keyword);
    const inner = (shape: unknown, below: string): JsonSchema =>
      cleaned(shape, { pointer: below, depth: depth + 1, errors });
    if (keyword === 'properties' && isObject(value)) {
      const shapes = Object.entries(value).map(([name, shape]) => [name, inner(shape, at + pointerTo(name))]);
      return [[keyword, Object.fromEntries(shapes)]];
    }
    if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value !== 'boolean'))
      return [[keyword, inner(value, at)]];
    const isRight = isCheckable(keyword, value);
    if (isRight !== true)
      refuse(
        at,
        `the keyword \`${keyword.slice(0, 100)}\` ${isRight === false ? 'has no such value' : 'is not checked'}`,
      );
    return [[keyword, value]];
  });
  return Object.fromEntries(members);
}

/** Each mistake names the choices, and each value is compared with them. */
const choicesMax = 100;
const textMax = 100;

const typeNames: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Undefined for a keyword that is not known. */
function isCheckable(keyword: string, value: unknown): boolean | undefined {
  const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (counts.includes(keyword)) return Number.isInteger(value) && Number(value) >= 0;
  switch (keyword) {
    case 'type':
      return (list ?? [value]).every((name) => typeNames.includes(name)) && list?.length !== 0;
    case 'const':
      return isPlain(value);
    case 'enum':
      return list?.every(isPlain) === true && list.length > 0 && list.length <= choicesMax;
    case 'required':
      return list?.every((name) => typeof name === 'string' && name.length <= textMax) === true;
    case 'minimum':
    case 'maximum':
      return typeof value === 'number';
    case 'additionalProperties':
      return typeof value === 'boolean';
    case 'format':
      return true;
    default:
      return undefined;
  }
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && String(value).length <= textMax);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
