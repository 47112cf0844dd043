import type { InputError } from '@freehold/contract/problem';
import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './form-and-json.module.css';
import { jsonEditorPart } from './json/json-editor-part.tsx';
import { JsonInputsOf } from './schema-form/unread-texts.ts';
import type { Draft } from './use-draft.ts';

const JsonEditor = jsonEditorPart(420);

interface Props {
  readonly draft: Draft<object>;
  /** The name of the JSON editor, such as “Definition in JSON”. */
  readonly label: string;
  readonly isReadOnly: boolean;
  /** The verdict of the platform on the draft, marked in the JSON. */
  readonly errors?: readonly InputError[] | undefined;
  /** Whether texts in the JSON may be templates. */
  readonly hasTemplates?: boolean;
  /** The form, which cannot be changed while the JSON has a mistake. */
  readonly children: ReactNode;
}

/** The form and the JSON of a draft side by side. What is typed in one shows in the other. */
export function FormAndJson({ draft, label, isReadOnly, errors, hasTemplates, children }: Props) {
  const { text, mistake, unread, setText } = draft;
  return (
    <div className={classes.editor}>
      <Stack>
        {mistake !== undefined && (
          <Text size="sm" c="red" role="alert">
            The form shows the last state that could be read. The JSON has a mistake: {mistake}
          </Text>
        )}
        <JsonInputsOf value={{ unread, hasTemplates }}>{children}</JsonInputsOf>
      </Stack>
      <Paper withBorder className={classes.json} {...(mistake === undefined ? {} : { 'data-invalid': true })}>
        <JsonEditor label={label} text={text} errors={errors} {...(isReadOnly ? {} : { onChange: setText })} />
      </Paper>
    </div>
  );
}
