import type { InputError } from '@freehold/contract/problem';
import { RE2JS } from 're2js';
import { isObject } from '../../config/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';

/**
 * What is wrong with a value by a JSON Schema (2020-12), as sentences. It knows the keywords that the schemas of config
 * items are made of, and stops at one that it does not know; of `oneOf` it knows branches that one constant member tells
 * apart. Where a form is asked for, the `description` beside its `pattern` says which: it goes after "must be".
 */
export function checkSchema(schema: JsonSchema, value: unknown, place: Place = { pointer: '', name: '' }): Mistakes {
  for (const keyword of Object.keys(schema))
    if (!known.includes(keyword)) throw new TypeError(`the keyword ${keyword} is not known here`);
  const wrong = wrongKind(schema, value);
  if (wrong !== undefined) return [mistake(place, 'wrong_type', `${subject(place)} must be ${wrong}`)];
  if (schema.oneOf !== undefined) return checkBranch(schema.oneOf as readonly ObjectShape[], value, place);
  if (typeof value === 'string') return checkText(schema, value, place);
  if (typeof value === 'number') return checkNumber(schema, value, place);
  if (Array.isArray(value)) return checkElements(schema, value, place);
  return isObject(value) ? checkMembers(schema, value, place) : [];
}

type Mistakes = readonly InputError[];

interface Place {
  readonly pointer: string;
  /** What a sentence calls it; empty for the whole. */
  readonly name: string;
}

interface ObjectShape extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

const annotations = ['description', 'examples', 'default'];
const asserting = ['type', 'const', 'enum', 'oneOf', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'];
const composed = ['items', 'minItems', 'maxItems', 'properties', 'required', 'additionalProperties', 'maxProperties'];
const known: readonly string[] = [...annotations, ...asserting, ...composed, 'propertyNames'];

type Members = Readonly<Record<string, unknown>>;

function mistake({ pointer }: Place, code: string, message: string): InputError {
  return { pointer, code, message };
}

function subject({ name }: Place): string {
  return name === '' ? 'the content' : `\`${name}\``;
}

/** What the value should be, where it is of another type or none of those that are listed. */
function wrongKind({ type, const: only, enum: listed }: JsonSchema, value: unknown): string | undefined {
  if (only !== undefined) return value === only ? undefined : `\`${String(only)}\``;
  if (Array.isArray(listed)) return listed.includes(value) ? undefined : `one of ${listed.join(', ')}`;
  const types = typesOf(type);
  if (types.length === 0 || types.some((name) => isOfType(name, value))) return undefined;
  return types.map((name) => typeNames[name] ?? name).join(' or ');
}

function typesOf(type: unknown): readonly string[] {
  return (Array.isArray(type) ? type : type === undefined ? [] : [type]) as readonly string[];
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  array: 'an array',
  object: 'an object',
  null: '`null`',
};

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function checkText(schema: JsonSchema, value: string, place: Place): Mistakes {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, description } = schema;
  const length = [...value].length;
  if (length > Number(maxLength))
    return [mistake(place, 'too_long', `${subject(place)} ${mayHave(maxLength, 'characters')}`)];
  if (length < Number(minLength)) return [mistake(place, 'too_short', `${subject(place)} must not be empty`)];
  if (typeof pattern !== 'string' || patternOf(pattern).matcher(value).find()) return [];
  return [mistake(place, 'invalid_form', `${subject(place)} must be ${String(description ?? pattern)}`)];
}

/** As many as the schemas have: no caller brings one. */
const patterns = new Map<string, RE2JS>();

function patternOf(source: string): RE2JS {
  const pattern = patterns.get(source) ?? RE2JS.compile(source);
  patterns.set(source, pattern);
  return pattern;
}

function checkNumber({ minimum, maximum }: JsonSchema, value: number, place: Place): Mistakes {
  const isWithin = value >= Number(minimum ?? -Infinity) && value <= Number(maximum ?? Infinity);
  if (isWithin) return [];
  const message = `${subject(place)} must be a number from ${String(minimum)} to ${String(maximum)}`;
  return [mistake(place, 'out_of_range', message)];
}

function checkElements({ items, minItems, maxItems }: JsonSchema, value: readonly unknown[], place: Place): Mistakes {
  if (maxItems !== undefined && value.length > Number(maxItems))
    return [mistake(place, 'too_many', `${subject(place)} ${mayHave(maxItems, 'elements')}`)];
  if (minItems !== undefined && value.length < Number(minItems))
    return [mistake(place, 'too_few', `${subject(place)} must have at least ${String(minItems)} elements`)];
  if (items === undefined) return [];
  const name = `an element of ${place.name}`;
  return value.flatMap((element, index) =>
    checkSchema(items as JsonSchema, element, { pointer: `${place.pointer}/${index}`, name }),
  );
}

function checkMembers(schema: JsonSchema, value: Members, place: Place): Mistakes {
  const { required = [], properties = {}, additionalProperties, propertyNames, maxProperties } = schema;
  const shapes = properties as Readonly<Record<string, JsonSchema>>;
  const at = (name: string): Place => ({ pointer: place.pointer + pointerTo(name), name: name.slice(0, 100) });
  if (maxProperties !== undefined && Object.keys(value).length > Number(maxProperties))
    return [mistake(place, 'too_many', `${subject(place)} ${mayHave(maxProperties, 'members')}`)];
  const missing = (required as readonly string[])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => mistake(at(name), 'required', `\`${name}\` is needed`));
  const others = Object.entries(value).flatMap(([name, member]): Mistakes => {
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape !== undefined) return checkSchema(shape, member, at(name));
    if (additionalProperties === false)
      return [mistake(at(name), 'unknown_field', `there is no member \`${name.slice(0, 100)}\` here`)];
    const ofName = propertyNames === undefined ? [] : checkSchema(propertyNames as JsonSchema, name, at(name));
    return additionalProperties === undefined || ofName.length > 0
      ? ofName
      : checkSchema(additionalProperties as JsonSchema, member, at(name));
  });
  return [...missing, ...others];
}

/** The branch is the one whose constant the value has, so that what is wrong is told of that one alone. */
function checkBranch(branches: readonly ObjectShape[], value: unknown, place: Place): Mistakes {
  const constants = branches.map((branch) =>
    Object.entries(branch.properties).find(([, { const: only }]) => only !== undefined),
  );
  const member = constants[0]?.[0] ?? '';
  if (!isObject(value)) return [mistake(place, 'wrong_type', `${subject(place)} must be an object`)];
  const index = constants.findIndex((constant) => constant?.[1].const === value[member]);
  const branch = branches[index];
  if (branch !== undefined) return checkSchema(branch, value, place);
  const choice = constants.map((constant) => String(constant?.[1].const)).join(', ');
  const at: Place = { pointer: place.pointer + pointerTo(member), name: member };
  return [
    Object.hasOwn(value, member)
      ? mistake(at, 'wrong_type', `\`${member}\` must be one of ${choice}`)
      : mistake(at, 'required', `\`${member}\` is needed: one of ${choice}`),
  ];
}

function mayHave(max: unknown, what: string): string {
  return `may have at most ${String(max)} ${what}`;
}
