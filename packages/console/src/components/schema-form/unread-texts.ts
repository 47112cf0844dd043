/** Texts of JSON inputs that are not JSON. The state of the form has them, so that it is not saved without them. */
import { createContext, useContext } from 'react';

export interface UnreadText {
  /** The position of the value, as a JSON pointer. */
  readonly pointer: string;
  readonly label: string;
  readonly text: string;
  readonly mistake: string;
}

/** An unread text with the JSON of the value that it was typed over. It counts as long as that value is there. */
interface Unread extends UnreadText {
  readonly over: string | undefined;
}

export type UnreadList = readonly Unread[];

export interface UnreadTexts {
  readonly list: readonly UnreadText[];
  /** Keeps a text in place of the one at its pointer. */
  keep(text: UnreadText): void;
  /** Forgets the text at a pointer, whose input holds JSON again. */
  drop(pointer: string): void;
}

export function withUnread(list: UnreadList, text: UnreadText, value: unknown): UnreadList {
  return [...withoutUnread(list, text.pointer), { ...text, over: jsonAt(value, text.pointer) }];
}

export function withoutUnread(list: UnreadList, pointer: string): UnreadList {
  return list.filter((one) => one.pointer !== pointer);
}

/** The texts that still belong to a value: those whose place is there, and holds what they were typed over. */
export function unreadOf(list: UnreadList, value: unknown): UnreadList {
  return list.filter(({ pointer, over }) => hasPlace(value, pointer) && jsonAt(value, pointer) === over);
}

/** Why a form cannot be sent as it is shown; undefined where each of its inputs could be read. */
export function whyUnread([first]: readonly UnreadText[]): string | undefined {
  return first === undefined ? undefined : `The text in “${first.label}” is not JSON.`;
}

function hasPlace(value: unknown, pointer: string): boolean {
  const parent = valueAt(value, pointer.slice(0, pointer.lastIndexOf('/')));
  return pointer === '' || (typeof parent === 'object' && parent !== null);
}

function jsonAt(value: unknown, pointer: string): string | undefined {
  return JSON.stringify(valueAt(value, pointer));
}

function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const name of pointer.split('/').slice(1)) {
    const member = name.replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, member) ? Reflect.get(at, member) : undefined;
  }
  return at;
}

interface JsonInputs {
  readonly unread: UnreadTexts;
  /** Whether texts of the values may be templates. */
  readonly hasTemplates?: boolean | undefined;
}

const Context = createContext<JsonInputs | undefined>(undefined);

/** Gives the JSON inputs of a form the state of its draft. */
export const JsonInputsOf = Context.Provider;

export function useJsonInputs(): JsonInputs {
  const inputs = useContext(Context);
  if (inputs === undefined) throw new Error('a JSON input stands in no form that keeps texts which are not JSON');
  return inputs;
}
