import { Input, Paper, Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from './simulator.module.css';

const JsonEditor = lazy(async () => ({ default: (await import('../../components/json-editor.tsx')).JsonEditor }));

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly text: string;
  readonly mistake: string | undefined;
  readonly onChange: (text: string) => void;
}

/** A text in JSON as a field of a form. */
export function JsonInput({ label, description, text, mistake, onChange }: Props) {
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={mistake}>
      <Paper withBorder className={classes.json} mt={4} mb={4}>
        <Suspense fallback={<Skeleton height={90} />}>
          <JsonEditor label={label} text={text} onChange={onChange} />
        </Suspense>
      </Paper>
    </Input.Wrapper>
  );
}
