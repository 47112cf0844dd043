import { Button, CopyButton, Group } from '@mantine/core';
import { jsonEditorPart } from '../../components/json/json-editor-part.tsx';
import type { RecordValues } from './form/inputs.ts';
import classes from './record.module.css';

const JsonEditor = jsonEditorPart(240);

/** The record as the API answers it. */
export function RecordJson({ record }: { readonly record: RecordValues }) {
  const text = JSON.stringify(record, null, 2);
  return (
    <>
      <div className={classes.json}>
        <JsonEditor label="Record in JSON" text={text} />
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
