import { useState } from 'react';
import { readObject, textOf } from './json-object.ts';
import {
  type UnreadList,
  type UnreadTexts,
  unreadOf,
  whyUnread,
  withoutUnread,
  withUnread,
} from './schema-form/unread-texts.ts';

/** A JSON object that is edited as a form and as text, the two kept in step. */
export interface Draft<Value> {
  /** The value that both show; while the text is no such value, the one before. */
  readonly value: Value;
  readonly text: string;
  /** Why the text is no such value. */
  readonly mistake: string | undefined;
  /** What was typed into inputs of the form and is not JSON: the value does not have it. */
  readonly unread: UnreadTexts;
  /** Why the value is not all that was typed, so that it must not be sent; undefined where it is. */
  readonly whyInvalid: string | undefined;
  setValue(value: Value): void;
  setText(text: string): void;
  /** Sets the value, and forgets what was typed. */
  reset(value: Value): void;
}

interface State<Value> {
  readonly value: Value;
  readonly text: string;
  readonly mistake?: string;
  readonly unread: UnreadList;
}

/** @param check Says why the form cannot show a JSON object. */
export function useDraft<Value extends object>(
  initial: Value,
  check: (value: object) => string | undefined,
): Draft<Value> {
  const [state, setState] = useState<State<Value>>(() => ({ value: initial, text: textOf(initial), unread: [] }));
  return {
    value: state.value,
    text: state.text,
    mistake: state.mistake,
    unread: {
      list: state.unread,
      keep: (text) => setState((before) => ({ ...before, unread: withUnread(before.unread, text, before.value) })),
      drop: (pointer) => setState((before) => ({ ...before, unread: withoutUnread(before.unread, pointer) })),
    },
    whyInvalid: state.mistake === undefined ? whyUnread(state.unread) : 'The JSON has a mistake.',
    setValue: (value) => setState(({ unread }) => ({ value, text: textOf(value), unread: unreadOf(unread, value) })),
    setText: (text) =>
      setState(({ value, unread }) => {
        const read = readObject(text, check);
        return typeof read === 'string'
          ? { value, text, mistake: read, unread }
          : { value: read as Value, text, unread: unreadOf(unread, read) };
      }),
    reset: (value) => setState({ value, text: textOf(value), unread: [] }),
  };
}
