import { Paper, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ApiProblem } from '../../api/problem.ts';
import { ChecksForm } from './checks-form.tsx';
import type { Definition } from './definition.ts';
import classes from './entities.module.css';
import { FieldsForm } from './fields-form.tsx';
import type { Draft } from './use-draft.ts';

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }));

interface Props {
  readonly draft: Draft;
  readonly stored: Definition | undefined;
  readonly isReadOnly: boolean;
  readonly problem: ApiProblem | undefined;
}

/** The form and the JSON of a definition side by side. What is typed in one shows in the other. */
export function EditorPanes({ draft, stored, isReadOnly, problem }: Props) {
  const { definition, text, mistake, setDefinition, setText } = draft;
  const form = { definition, isReadOnly: isReadOnly || mistake !== undefined, problem, onChange: setDefinition };
  return (
    <div className={classes.editor}>
      <Stack>
        {mistake !== undefined && (
          <Text size="sm" c="red" role="alert">
            The form shows the last definition that could be read. The JSON has a mistake: {mistake}
          </Text>
        )}
        <FieldsForm {...form} stored={stored} />
        <ChecksForm {...form} />
        <Text size="sm" c="dimmed">
          Unique, compound, owner and parent indexes, views and key templates are edited in the JSON.
        </Text>
      </Stack>
      <Paper withBorder className={classes.json} {...(mistake === undefined ? {} : { 'data-invalid': true })}>
        <Suspense fallback={<Skeleton height={420} />}>
          <JsonEditor label="Definition in JSON" text={text} {...(isReadOnly ? {} : { onChange: setText })} />
        </Suspense>
      </Paper>
    </div>
  );
}
