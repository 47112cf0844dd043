import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { descriptionOf } from './description-of.tsx';
import classes from './schema-form.module.css';
import type { ValueProps } from './value-props.ts';

/** Any value as JSON. A text that is no JSON stays as it was typed, and the value as it was before. */
export function JsonValueInput(props: ValueProps) {
  const { schema, label, value, pointer, isReadOnly, isRequired = false, errorAt, onChange } = props;
  const stored = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [typed, setTyped] = useState({ of: stored, text: stored });
  const text = typed.of === stored ? typed.text : stored;
  const mistake = text === '' ? undefined : mistakeIn(text);
  const change = (next: string) => {
    const isJson = next !== '' && mistakeIn(next) === undefined;
    const given: unknown = isJson ? JSON.parse(next) : undefined;
    const isKept = next !== '' && !isJson;
    setTyped({ of: isKept ? stored : given === undefined ? '' : JSON.stringify(given, null, 2), text: next });
    if (!isKept) onChange(given);
  };
  return (
    <Textarea
      label={label}
      description={descriptionOf(schema) ?? 'In JSON'}
      required={isRequired}
      readOnly={isReadOnly}
      error={mistake ?? errorAt(pointer)}
      autosize
      minRows={2}
      maxRows={12}
      classNames={{ input: classes.json ?? '' }}
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

function mistakeIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
