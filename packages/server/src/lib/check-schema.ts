import type { InputError } from '@freehold/contract/problem';
import { guidText, isCalendarDate, readInstant } from '@freehold/contract/value-texts';
import { RE2JS } from 're2js';
import { emailBytesMax, isEmailAddress } from './formats/email-address.ts';
import { pointerTo } from './json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';
import { errorsMax } from './problem.ts';
import { isObject, unknownNames } from './unknown-names.ts';

/**
 * The mistakes of a value by a JSON Schema (2020-12), as sentences: of very many the first. It knows the keywords of
 * bodies and config items, and throws at an unknown one; of `oneOf` and `anyOf` it knows branches that one constant
 * member distinguishes, and `null` beside another schema. Where a form is asked for, the `description` beside its
 * `pattern` says which: it goes after "must be". The target of a `$ref` is left to its own reader.
 */
export function checkSchema(
  schema: JsonSchema,
  value: unknown,
  place: SchemaPosition = { pointer: '', name: '' },
): Mistakes {
  for (const keyword of Object.keys(schema))
    if (!known.includes(keyword)) throw new TypeError(`the keyword ${keyword} is not known here`);
  const wrong = wrongKind(schema, value);
  if (wrong !== undefined) return [mistake(place, wrong.code, `${subject(place)} must be ${wrong.demand}`)];
  const branches = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (branches !== undefined) return checkBranches(branches, value, place);
  if (typeof value === 'string') return checkText(schema, value, place);
  if (typeof value === 'number') return checkNumber(schema, value, place);
  if (Array.isArray(value)) return checkElements(schema, value, place);
  return isObject(value) ? checkMembers(schema, value, place) : [];
}

type Mistakes = readonly InputError[];

interface SchemaPosition {
  readonly pointer: string;
  /** Its name in a sentence; empty for the whole. */
  readonly name: string;
}

interface ObjectShape extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

const annotations = ['$id', '$ref', '$defs', 'title', 'description', 'examples', 'default', 'format'];
const asserting = [
  'type',
  'const',
  'enum',
  'oneOf',
  'anyOf',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
];
const composed = [
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'properties',
  'required',
  'additionalProperties',
  'maxProperties',
];
const known: readonly string[] = [...annotations, ...asserting, ...composed, 'propertyNames'];

type Members = Readonly<Record<string, unknown>>;

function mistake({ pointer }: SchemaPosition, code: string, message: string): InputError {
  return { pointer, code, message };
}

function subject({ name }: SchemaPosition): string {
  return name === '' ? 'the body' : `\`${name}\``;
}

/** The demand on the value, where it is of another type or none of those that are listed. */
function wrongKind(
  { type, const: only, enum: listed }: JsonSchema,
  value: unknown,
): { readonly code: 'not_in_enum' | 'wrong_type'; readonly demand: string } | undefined {
  const choices = only === undefined ? (listed as readonly unknown[] | undefined) : [only];
  if (choices !== undefined)
    return choices.includes(value) ? undefined : { code: 'not_in_enum', demand: oneOf(choices) };
  const types = typesOf(type);
  if (types.length === 0 || types.some((name) => isOfType(name, value))) return undefined;
  return { code: 'wrong_type', demand: types.map((name) => typeNames[name] ?? name).join(' or ') };
}

function oneOf(choices: readonly unknown[]): string {
  const names = choices.map((choice) => `\`${String(choice)}\``);
  return names.length === 1 ? names.join() : `one of ${names.join(', ')}`;
}

function typesOf(type: unknown): readonly string[] {
  return (Array.isArray(type) ? type : type === undefined ? [] : [type]) as readonly string[];
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  array: 'an array',
  object: 'a JSON object',
  null: '`null`',
};

function checkFormat(name: unknown, value: string, place: SchemaPosition): Mistakes {
  if (name === 'email' && Buffer.byteLength(value) > emailBytesMax)
    return [mistake(place, 'too_long', `${subject(place)} ${mayHave(emailBytesMax, 'bytes')}`)];
  const format = describedFormat(name);
  if (format === undefined || format.read(value) !== undefined) return [];
  return [mistake(place, format.code, `${subject(place)} must be ${format.demand}`)];
}

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

function checkText(schema: JsonSchema, value: string, place: SchemaPosition): Mistakes {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, description } = schema;
  const length = [...value].length;
  if (length > Number(maxLength))
    return [mistake(place, 'too_long', `${subject(place)} ${mayHave(maxLength, 'characters')}`)];
  const ofFormat = checkFormat(schema.format, value, place);
  if (ofFormat.length > 0) return ofFormat;
  if (length < Number(minLength))
    return [
      mistake(
        place,
        'too_short',
        `${subject(place)} ${Number(minLength) === 1 ? 'must not be empty' : `must have at least ${String(minLength)} characters`}`,
      ),
    ];
  if (typeof pattern !== 'string' || patternOf(pattern).matcher(value).find()) return [];
  return [mistake(place, 'pattern_mismatch', `${subject(place)} must be ${String(description ?? pattern)}`)];
}

/** As many as the schemas have: no caller brings one. */
const patterns = new Map<string, RE2JS>();

function patternOf(source: string): RE2JS {
  const pattern = patterns.get(source) ?? RE2JS.compile(source);
  patterns.set(source, pattern);
  return pattern;
}

function checkNumber({ minimum, maximum }: JsonSchema, value: number, place: SchemaPosition): Mistakes {
  const isWithin = value >= Number(minimum ?? -Infinity) && value <= Number(maximum ?? Infinity);
  if (isWithin) return [];
  const message = `${subject(place)} must be ${range(minimum, maximum)}`;
  return [mistake(place, 'out_of_range', message)];
}

function range(minimum: unknown, maximum: unknown): string {
  if (maximum === undefined) return `at least ${String(minimum)}`;
  return minimum === undefined
    ? `at most ${String(maximum)}`
    : `a number from ${String(minimum)} to ${String(maximum)}`;
}

function checkElements(
  { items, minItems, maxItems }: JsonSchema,
  value: readonly unknown[],
  place: SchemaPosition,
): Mistakes {
  if (maxItems !== undefined && value.length > Number(maxItems))
    return [mistake(place, 'too_many', `${subject(place)} ${mayHave(maxItems, 'elements')}`)];
  if (minItems !== undefined && value.length < Number(minItems))
    return [mistake(place, 'too_few', `${subject(place)} must have at least ${String(minItems)} elements`)];
  if (items === undefined) return [];
  const name = `an element of ${place.name}`;
  const errors: InputError[] = [];
  for (const [index, element] of value.entries()) {
    if (errors.length > errorsMax) break;
    errors.push(...checkSchema(items as JsonSchema, element, { pointer: `${place.pointer}/${index}`, name }));
  }
  return errors;
}

function checkMembers(schema: JsonSchema, value: Members, place: SchemaPosition): Mistakes {
  const { required = [], properties = {}, additionalProperties, minProperties = 0, maxProperties } = schema;
  const shapes = properties as Readonly<Record<string, JsonSchema>>;
  const at = (name: string): SchemaPosition => ({ pointer: place.pointer + pointerTo(name), name: name.slice(0, 100) });
  if (maxProperties !== undefined && Object.keys(value).length > Number(maxProperties))
    return [mistake(place, 'too_many', `${subject(place)} ${mayHave(maxProperties, 'members')}`)];
  if (Object.keys(value).length < Number(minProperties))
    return [mistake(place, 'too_few', `${subject(place)} must have at least ${String(minProperties)} members`)];
  const missing = (required as readonly string[])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => mistake(at(name), 'required', `\`${name}\` is required`));
  const others: InputError[] = [];
  const unknown = additionalProperties === false ? unknownNames(value, (name) => Object.hasOwn(shapes, name)) : [];
  for (const name of unknown)
    others.push(mistake(at(name), 'unknown_field', `unknown member \`${name.slice(0, 100)}\``));
  for (const [name, member] of Object.entries(value)) {
    if (others.length > errorsMax) break;
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape !== undefined) others.push(...checkSchema(shape, member, at(name)));
    else if (additionalProperties !== false) others.push(...checkOther(schema, { name, member }, at(name)));
  }
  return [...missing, ...others];
}

function checkOther(
  { propertyNames, additionalProperties }: JsonSchema,
  { name, member }: { readonly name: string; readonly member: unknown },
  place: SchemaPosition,
): Mistakes {
  const ofName = propertyNames === undefined ? [] : checkSchema(propertyNames as JsonSchema, name, place);
  if (typeof additionalProperties !== 'object' || additionalProperties === null || ofName.length > 0) return ofName;
  return checkSchema(additionalProperties as JsonSchema, member, place);
}

/** `null` beside one other schema, branches of objects that a constant distinguishes, or any that the value fits. */
function checkBranches(branches: readonly JsonSchema[], value: unknown, place: SchemaPosition): Mistakes {
  const others = branches.filter(({ type }) => type !== 'null');
  if (value === null && others.length < branches.length) return [];
  const [only] = others;
  if (only !== undefined && others.length === 1) return checkSchema(only, value, place);
  if (others.every(hasConstant)) return checkBranch(others, value, place);
  const found = others.map((branch) => checkSchema(branch, value, place));
  if (found.some((errors) => errors.length === 0)) return [];
  const demands = others.flatMap(({ format }) => describedFormat(format)?.demand ?? []);
  if (demands.length === others.length)
    return [mistake(place, 'wrong_type', `${subject(place)} must be ${demands.join(', or ')}`)];
  return nearest(found, place);
}

/** The mistakes by the branch that was meant: one of the value's own kind, with the fewest of them. */
function nearest(found: readonly Mistakes[], { pointer }: SchemaPosition): Mistakes {
  const within = found.filter((errors) => errors.every((error) => error.pointer !== pointer));
  const [first] = within.length === 0 ? found : within.toSorted((one, other) => one.length - other.length);
  return first ?? [];
}

function hasConstant(schema: JsonSchema): schema is ObjectShape {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  return Object.values(properties).some(({ const: only }) => only !== undefined);
}

/** The branch is the one whose constant the value has, so that only its mistakes are reported. */
function checkBranch(branches: readonly ObjectShape[], value: unknown, place: SchemaPosition): Mistakes {
  const constants = branches.map((branch) =>
    Object.entries(branch.properties).find(([, { const: only }]) => only !== undefined),
  );
  const member = constants[0]?.[0] ?? '';
  if (!isObject(value)) return [mistake(place, 'wrong_type', `${subject(place)} must be a JSON object`)];
  const index = constants.findIndex((constant) => constant?.[1].const === value[member]);
  const branch = branches[index];
  if (branch !== undefined) return checkSchema(branch, value, place);
  const choice = oneOf(constants.map((constant) => constant?.[1].const));
  const at: SchemaPosition = { pointer: place.pointer + pointerTo(member), name: member };
  return [
    Object.hasOwn(value, member)
      ? mistake(at, 'not_in_enum', `\`${member}\` must be ${choice}`)
      : mistake(at, 'required', `\`${member}\` is required: ${choice}`),
  ];
}

function mayHave(max: unknown, what: string): string {
  return `may have at most ${String(max)} ${what}`;
}

/** A format of JSON Schema as this platform reads it. */
interface DescribedFormat {
  /** Goes after "must be". */
  readonly demand: string;
  readonly code: string;
  /** The value in the one spelling that is stored and compared; undefined for a text that is none. */
  readonly read: (text: string) => string | undefined;
}

const formats: Readonly<Record<string, DescribedFormat>> = {
  'date-time': {
    demand: 'a time with its zone, such as `2026-11-20T09:30:00Z`',
    code: 'wrong_type',
    read: readInstant,
  },
  date: {
    demand: 'a day, such as `2026-11-20`',
    code: 'wrong_type',
    read: (text) => (isCalendarDate(text) ? text : undefined),
  },
  uuid: {
    demand: 'a UUID, such as `01890a5d-ac96-774b-bcce-b302099a8057`',
    code: 'wrong_type',
    read: (text) => (guidText.test(text) ? text.toLowerCase() : undefined),
  },
  uri: {
    demand: 'an absolute address, such as `https://example.com/alerts`',
    code: 'wrong_type',
    read: (text) => (isAddress(text) ? text : undefined),
  },
  email: {
    demand: 'an email address',
    code: 'invalid_email',
    read: (text) => (isEmailAddress(text) ? text : undefined),
  },
  password: { demand: 'a password', code: 'wrong_type', read: (text) => text },
};

/** @throws TypeError for a format that nothing checks: a caller would take it for checked. */
export function describedFormat(name: unknown): DescribedFormat | undefined {
  if (name === undefined) return undefined;
  const format = typeof name === 'string' && Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) throw new TypeError(`the format ${String(name)} is not known here`);
  return format;
}

/**
 * RFC 3986 with an authority. The WHATWG parser alone would mend what the format forbids: it drops tabs and line feeds,
 * and takes `\` and a missing `//` for slashes.
 */
const addressShape = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#[\]]|\[[\da-f:.]+\])+(?:[/?][^#[\]]*)?(?:#[^#[\]]*)?$/i;
const addressCharacters = /^(?:[\w.~!$&'()*+,;=:@/?#[\]-]|%[\da-f]{2})+$/i;

function isAddress(text: string): boolean {
  return addressCharacters.test(text) && addressShape.test(text) && URL.canParse(text);
}

const contentBytesMax = 256 * 1024;

/** The content as it fits its schema, or what is wrong; what a schema cannot say is asked only of what fits. */
export function readContent<Content>(
  schema: JsonSchema,
  input: unknown,
  check: (content: Content) => readonly InputError[],
): { readonly content: Content } | { readonly errors: readonly InputError[] } {
  const misfits =
    Buffer.byteLength(JSON.stringify(input) ?? '') > contentBytesMax ? [tooLong] : checkSchema(schema, input);
  const errors = misfits.length > 0 ? misfits : check(input as Content);
  return errors.length > 0 ? { errors } : { content: input as Content };
}

const tooLong: InputError = {
  pointer: '',
  code: 'too_long',
  message: `the content may have at most ${contentBytesMax} bytes`,
};
