import { Button, CopyButton, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { RecordValues } from './form/inputs.ts';
import classes from './record.module.css';

const JsonEditor = lazy(async () => ({ default: (await import('../../components/json-editor.tsx')).JsonEditor }));

/** The record as the API answers it. */
export function RecordJson({ record }: { readonly record: RecordValues }) {
  const text = JSON.stringify(record, null, 2);
  return (
    <>
      <div className={classes.json}>
        <Suspense fallback={<Skeleton height={240} />}>
          <JsonEditor label="Record in JSON" text={text} />
        </Suspense>
      </div>
      <Group justify="flex-end" mt="xs">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" size="compact-sm" onClick={copy}>
              {copied ? 'Copied' : 'Copy the JSON'}
            </Button>
          )}
        </CopyButton>
      </Group>
    </>
  );
}
