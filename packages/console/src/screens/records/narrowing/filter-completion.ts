/** What can stand at a place of a filter: fields, those of records that lookups point to, values, functions. */
import { type Definition, definitionOf, type Field } from '../../entities/definition.ts';

export interface Option {
  readonly label: string;
  readonly detail?: string;
  readonly kind: 'field' | 'value' | 'function' | 'variable';
  /** The inserted text, if it is not the label. */
  readonly apply?: string;
}

export interface Options {
  /** Where what is replaced begins. */
  readonly from: number;
  readonly options: readonly Option[];
}

/** Reads the fields of another entity; none where it has no definition. */
export type FieldsOf = (entity: string) => Promise<readonly Field[]>;

export function fieldsIn(create: unknown): readonly Field[] {
  const { UpdateParams = [] }: Definition = definitionOf(create);
  return UpdateParams;
}

const always: readonly Field[] = [
  { name: 'id', colType: 'guid' },
  { name: 'created_at', colType: 'datetime' },
  { name: 'updated_at', colType: 'datetime' },
  { name: 'created_by', colType: 'guid' },
  { name: 'updated_by', colType: 'guid' },
];

const unreadable: ReadonlySet<string> = new Set(['encrypted', 'json']);

const functions = ['has', 'size', 'timestamp', 'duration', 'int', 'double', 'string'];
const ofTexts = ['contains', 'startsWith', 'endsWith', 'lowerAscii', 'upperAscii', 'trim', 'size'];
const ofLists = ['exists', 'all', 'exists_one', 'size'];
const ofTimes = [
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
];
const methods: Readonly<Record<string, readonly string[]>> = {
  array: ofLists,
  date: ofTimes,
  datetime: ofTimes,
  number: [],
  integer: [],
  autoincrement: [],
  boolean: [],
};
const withoutArgument: ReadonlySet<string> = new Set(['lowerAscii', 'upperAscii', 'trim', 'size', ...ofTimes]);

const variables: readonly Option[] = [
  { label: 'now', kind: 'variable', detail: 'the time of the request' },
  { label: 'user.id', kind: 'variable', detail: 'the caller' },
  { label: 'true', kind: 'value' },
  { label: 'false', kind: 'value' },
];

/** @param before The filter up to the cursor. */
export async function optionsAt(
  before: string,
  own: readonly Field[],
  fieldsOf: FieldsOf,
): Promise<Options | undefined> {
  const fields = [...own, ...always].filter(({ colType = 'string' }) => !unreadable.has(colType));
  const value = /(\w+)\s*(?:==|!=)\s*("?)([^"]*)$/.exec(before);
  const choices = fields.find(({ name }) => name === value?.[1])?.enumValues;
  if (value !== null && choices !== undefined) {
    const from = before.length - `${value[2] ?? ''}${value[3] ?? ''}`.length;
    return { from, options: choices.map((choice) => ({ label: JSON.stringify(choice), kind: 'value' })) };
  }
  if (isInText(before)) return undefined;
  const member = /(\w+)\.(\w*)$/.exec(before);
  if (member !== null) {
    const options = await membersOf(member[1] ?? '', fields, fieldsOf);
    return { from: before.length - (member[2] ?? '').length, options };
  }
  const [word = ''] = /\w*$/.exec(before) ?? [];
  const calls = functions.map((name): Option => ({ label: name, kind: 'function', apply: `${name}(` }));
  return { from: before.length - word.length, options: [...fields.map(asOption), ...variables, ...calls] };
}

async function membersOf(name: string, fields: readonly Field[], fieldsOf: FieldsOf): Promise<readonly Option[]> {
  if (name === 'user') return [{ label: 'id', kind: 'variable', detail: 'the caller' }];
  if (name === 'record') return fields.map(asOption);
  const field = fields.find((one) => one.name === name);
  if (field === undefined) return [];
  if (field.lookup !== undefined) return [...(await fieldsOf(field.lookup.entity)), ...always].map(asOption);
  return (methods[typeIn(field)] ?? ofTexts).map((method) => ({
    label: method,
    kind: 'function',
    apply: withoutArgument.has(method) ? `${method}()` : `${method}(`,
  }));
}

function asOption(field: Field): Option {
  const { name, lookup } = field;
  return { label: name, kind: 'field', detail: lookup === undefined ? typeIn(field) : `lookup of ${lookup.entity}` };
}

function typeIn({ colType = 'string', formula }: Field): string {
  return typeof formula === 'object' ? formula.type : colType === 'formula' ? 'string' : colType;
}

/** Whether the cursor stands within quotes. */
function isInText(before: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < before.length; at++) {
    const character = before.charAt(at);
    if (quote !== undefined && character === '\\') at += 1;
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) quote = character;
  }
  return quote !== undefined;
}

/** Where the platform says that a filter is wrong, from 0, and what. */
export function mistakeIn(message: string): { readonly at: number; readonly message: string } {
  const [, at, problem] = /^at character (\d+): (.*)$/s.exec(message) ?? [];
  return at === undefined || problem === undefined ? { at: 0, message } : { at: Number(at) - 1, message: problem };
}
