import type { TObject } from '@freehold/contract/schema';
import { checkSchema } from '../lib/check-schema.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import { invalidInput } from '../lib/problem.ts';
import { refuseParameters } from './read-query.ts';

/**
 * The parameters of a query string by the schema of each, with its default where it is left out.
 * @throws Problem `invalid_request`, for parameters that are not known, missing, or of another form.
 */
export function readDescribedQuery(
  schema: TObject | undefined,
  query: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  if (schema === undefined) {
    refuseParameters(query);
    return {};
  }
  const shapes: Readonly<Record<string, JsonSchema>> = schema.properties;
  refuseParameters(query, Object.keys(shapes));
  const read: Record<string, unknown> = {};
  for (const [name, shape] of Object.entries(shapes)) {
    const text = query.get(name);
    const isNeeded = shape.default === undefined && (schema.required ?? []).includes(name);
    if (text === undefined || (text === '' && isNeeded)) {
      if (isNeeded) throw wrong(name, 'required', `the parameter \`${name}\` is required`);
      if (shape.default !== undefined) read[name] = shape.default;
      continue;
    }
    const value = parsed(shape, text);
    const [error] = checkSchema(shape, value, { pointer: pointerTo(name), name });
    if (error !== undefined) throw invalidInput('invalid_request', [error]);
    read[name] = value;
  }
  return read;
}

/** What a text means to its schema; the text itself where it means nothing to it, which the check then tells. */
function parsed({ type, anyOf = [] }: JsonSchema, text: string): unknown {
  for (const branch of anyOf as readonly JsonSchema[]) {
    const value = parsed(branch, text);
    if (value !== text) return value;
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'integer' && /^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text;
}

function wrong(name: string, code: string, message: string) {
  return invalidInput('invalid_request', [{ pointer: pointerTo(name), code, message }]);
}
