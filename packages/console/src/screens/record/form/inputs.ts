/** What a form holds of a record, and what that means to the API. */

import type { Field } from '../../entities/definition.ts';

/** A text, the elements of an array, or `null` for a value that is to be cleared without having been seen. */
export type Input = string | readonly string[] | null;
export type Inputs = Readonly<Record<string, Input>>;
export type RecordValues = Readonly<Record<string, unknown>>;

export type Control =
  | 'line'
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'choice'
  | 'list'
  | 'lookup'
  | 'lookups'
  | 'json'
  | 'secret'
  | 'computed';

/** The data that are sent for an input, or why it cannot be sent. */
export type Sendable = { readonly value: unknown } | { readonly mistake: string };

interface FormKind {
  readonly empty: Input;
  /** @param value A stored value; never null. */
  toInput(value: unknown): Input;
  toValue(input: Input): Sendable;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function kindOfText(read: (text: string) => unknown): FormKind {
  return {
    empty: '',
    toInput: asText,
    toValue: (input) => ({ value: typeof input !== 'string' || input === '' ? null : read(input) }),
  };
}

const text = kindOfText((typed) => typed);

/** A text that is no number, or a number that no double holds exactly, is sent as it was typed, so that the platform says what is wrong. */
function numberOf(typed: string): unknown {
  const number = Number(typed.trim());
  const isSafe = !Number.isInteger(number) || Number.isSafeInteger(number) || String(number) === typed.trim();
  const isExact = Number.isFinite(number) && isSafe;
  return isExact && typed.trim() !== '' ? number : typed;
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const listOf = (read: (text: string) => unknown): FormKind => ({
  empty: [],
  toInput: (value) => (Array.isArray(value) ? value.map(asText) : [asText(value)]),
  toValue: (input) => ({ value: Array.isArray(input) ? input.map(read) : null }),
});

const json: FormKind = {
  empty: '',
  toInput: (value) => JSON.stringify(value, null, 2),
  toValue: (input) => {
    if (typeof input !== 'string' || input.trim() === '') return { value: null };
    try {
      return { value: JSON.parse(input) as unknown };
    } catch (error) {
      return { mistake: error instanceof Error ? error.message : String(error) };
    }
  },
};

const datetime: FormKind = {
  ...kindOfText((typed) => {
    const at = new Date(typed);
    return Number.isNaN(at.getTime()) ? typed : at.toISOString();
  }),
  toInput: (value) => localTime(asText(value)),
};

const numbers: ReadonlySet<string> = new Set(['number', 'integer']);
/** Elements of arrays that are edited one by one; arrays of anything else are edited as JSON. */
const elements: ReadonlySet<string> = new Set([
  ...numbers,
  'string',
  'email',
  'url',
  'guid',
  'enum',
  'date',
  'datetime',
]);

const controls: Readonly<Record<string, Control>> = {
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  enum: 'choice',
  email: 'line',
  url: 'line',
  guid: 'line',
  json: 'json',
  formula: 'computed',
  autoincrement: 'computed',
  encrypted: 'secret',
};

const lineCharactersMax = 160;

/** By which control a field is edited. */
export function controlOf(field: Field): Control {
  const { colType = 'string', lookup, items, maxlength } = field;
  if (lookup !== undefined) return 'lookup';
  if (colType === 'array') {
    if (items?.lookup !== undefined) return 'lookups';
    return elements.has(items?.colType ?? 'string') ? 'list' : 'json';
  }
  return controls[colType] ?? (maxlength !== undefined && maxlength <= lineCharactersMax ? 'line' : 'text');
}

const kinds: Readonly<Partial<Record<Control, FormKind>>> = {
  number: kindOfText(numberOf),
  boolean: kindOfText((typed) => truths.get(typed) ?? typed),
  datetime,
  lookups: listOf((element) => element),
  json,
  secret: { ...text, toInput: () => '' },
};

function kindOf(field: Field): FormKind {
  const control = controlOf(field);
  if (control === 'list') return listOf(numbers.has(field.items?.colType ?? '') ? numberOf : (element) => element);
  return kinds[control] ?? text;
}

/** What the form shows of a stored value. */
export function inputOf(field: Field, value: unknown): Input {
  const kind = kindOf(field);
  return value === undefined || value === null ? kind.empty : kind.toInput(value);
}

export function inputsOf(fields: readonly Field[], record: RecordValues): Inputs {
  return Object.fromEntries(fields.map((field) => [field.name, inputOf(field, record[field.name])]));
}

/** The value sent for an input; `null` for no value. */
export function sendableOf(field: Field, input: Input): Sendable {
  return kindOf(field).toValue(input);
}

export interface Changes {
  readonly body: RecordValues;
  /** Why a field cannot be sent, by its name. */
  readonly mistakes: Readonly<Record<string, string>>;
}

/** The fields that differ from what the form showed at first. */
export function changesOf(fields: readonly Field[], before: Inputs, now: Inputs): Changes {
  const body: Record<string, unknown> = {};
  const mistakes: Record<string, string> = {};
  for (const field of fields) {
    const input = now[field.name];
    if (input === undefined || isSame(input, before[field.name])) continue;
    const sendable = sendableOf(field, input);
    if ('mistake' in sendable) mistakes[field.name] = sendable.mistake;
    else body[field.name] = sendable.value;
  }
  return { body, mistakes };
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** A time in UTC as `datetime-local` shows it where the user is. */
function localTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().replace(/(:00)?\.000Z$|Z$/, '');
}
