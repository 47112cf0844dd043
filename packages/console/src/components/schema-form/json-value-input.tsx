import { Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Sentence } from '../sentence.tsx';
import { descriptionOf } from './description-of.tsx';
import classes from './schema-form.module.css';
import { type UnreadText, useJsonInputs } from './unread-texts.ts';
import type { ValueProps } from './value-props.ts';

/** Any value as JSON. The form keeps a text that is not JSON as it was typed, and the value as it was before. */
export function JsonValueInput(props: ValueProps) {
  const { schema, label, value, pointer, isReadOnly, isRequired = false, errorAt, onChange } = props;
  const { unread, hasTemplates = false } = useJsonInputs();
  const kept = unread.list.find((one) => one.pointer === pointer);
  const stored = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [typed, setTyped] = useState({ of: stored, text: stored });
  const change = (text: string) => {
    const mistake = text === '' ? undefined : mistakeIn(text);
    if (mistake !== undefined) return unread.keep({ pointer, label, text, mistake });
    const given: unknown = text === '' ? undefined : JSON.parse(text);
    setTyped({ of: given === undefined ? '' : JSON.stringify(given, null, 2), text });
    unread.drop(pointer);
    onChange(given);
  };
  return (
    <Textarea
      label={label}
      description={descriptionOf(schema) ?? (hasTemplates ? <Sentence text={`In JSON. ${quotesHint}`} /> : 'In JSON')}
      required={isRequired}
      readOnly={isReadOnly}
      error={kept === undefined ? errorAt(pointer) : mistakeOf(kept, hasTemplates)}
      autosize
      minRows={2}
      maxRows={12}
      classNames={{ input: classes.json ?? '' }}
      spellCheck={false}
      value={kept?.text ?? (typed.of === stored ? typed.text : stored)}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

const quotesHint = 'A template such as `{{ steps.a.items }}` needs quotes around it';

function mistakeOf({ text, mistake }: UnreadText, hasTemplates: boolean): ReactNode {
  return hasTemplates && text.includes('{{') ? <Sentence text={`${mistake}. ${quotesHint}`} /> : mistake;
}

function mistakeIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
