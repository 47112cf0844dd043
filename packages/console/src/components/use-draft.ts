import { useState } from 'react';
import { readObject, textOf } from './json-object.ts';

/** A JSON object that is edited as a form and as text, the two kept in step. */
export interface Draft<Value> {
  /** The value that both show; while the text is no such value, the one before. */
  readonly value: Value;
  readonly text: string;
  /** Why the text is no such value. */
  readonly mistake: string | undefined;
  setValue(value: Value): void;
  setText(text: string): void;
}

interface State<Value> {
  readonly value: Value;
  readonly text: string;
  readonly mistake?: string;
}

/** @param check Says why the form cannot show a JSON object. */
export function useDraft<Value extends object>(
  initial: Value,
  check: (value: object) => string | undefined,
): Draft<Value> {
  const [state, setState] = useState<State<Value>>(() => ({ value: initial, text: textOf(initial) }));
  return {
    value: state.value,
    text: state.text,
    mistake: state.mistake,
    setValue: (value) => setState({ value, text: textOf(value) }),
    setText: (text) =>
      setState(({ value }) => {
        const read = readObject(text, check);
        return typeof read === 'string' ? { value, text, mistake: read } : { value: read as Value, text };
      }),
  };
}
