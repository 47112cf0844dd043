import type { TObject } from '@freehold/contract/schema';
import { checkSchema } from '../lib/check-schema.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import { invalidInput } from '../lib/problem.ts';
import { BoundedMap } from './bounded-map.ts';
import { Problem } from './problem.ts';

const parametersMax = 64;
const none: ReadonlyMap<string, string> = new Map();

/** Apps ask the same things again and again: the short ones are taken apart once. */
const known = new BoundedMap<string, ReadonlyMap<string, string>>(1000);
const knownCharactersMax = 200;

/** The parameters of a query string, each at most once (`+` is a space); the same map for the same short text. @throws Problem `invalid_request`. */
export function readQuery(query: string): ReadonlyMap<string, string> {
  if (query === '') return none;
  if (query.length > knownCharactersMax) return takeApart(query);
  const before = known.get(query);
  if (before !== undefined) return before;
  const parameters = takeApart(query);
  known.set(query, parameters);
  return parameters;
}

function takeApart(query: string): ReadonlyMap<string, string> {
  // Node hands on other bytes one by one as Latin-1, so what was meant is lost.
  if (!/^[\x21-\x7e]*$/.test(query)) throw new Problem('invalid_request', 'the query string is not percent-encoded');
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (parameters.has(name))
      throw new Problem('invalid_request', `the parameter \`${name.slice(0, 100)}\` is given twice`);
    if (parameters.size >= parametersMax)
      throw new Problem('invalid_request', `a query takes at most ${parametersMax} parameters`);
    parameters.set(name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new Problem('invalid_request', 'the query string is not valid percent-encoded UTF-8', {}, cause);
  }
  if (decoded.includes('\0')) throw new Problem('invalid_request', 'the query string contains the character U+0000');
  return decoded;
}

/** @throws Problem `invalid_request` for a parameter that the route does not take. */
export function refuseParameters(query: ReadonlyMap<string, string>, taken: readonly string[] = []): void {
  const unknown = query.keys().find((name) => !taken.includes(name));
  if (unknown === undefined) return;
  const takes = taken.length > 0 && taken.length < 9 ? `; the route takes \`${taken.join('`, `')}\`` : '';
  throw new Problem('invalid_request', `unknown parameter \`${unknown.slice(0, 100)}\`${takes}`);
}

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

/** The value of a text by its schema; the text itself where it is no such value, which the check then reports. */
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
