import { Button, FileButton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import classes from '../record.module.css';

interface Props {
  readonly isReading: boolean;
  readonly onChoose: (file: File) => void;
}

/** Where a file is dropped, or chosen by a button. */
export function ChooseFile({ isReading, onChoose }: Props) {
  const [isOver, setIsOver] = useState(false);
  return (
    <section
      className={classes.drop}
      aria-label="File"
      {...(isOver ? { 'data-over': true } : {})}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        const [file] = event.dataTransfer.files;
        if (file !== undefined) onChoose(file);
      }}
    >
      <Stack align="center" gap="xs">
        <Text size="sm">Drop a file of CSV or JSON Lines here, or</Text>
        <FileButton
          accept=".csv,.tsv,.txt,.jsonl,.ndjson,.jsonlines"
          onChange={(file) => {
            if (file !== null) onChoose(file);
          }}
        >
          {(props) => (
            <Button {...props} loading={isReading}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed" ta="center">
          In UTF-8, up to 32 MB. The first line of a CSV names the columns.
        </Text>
      </Stack>
    </section>
  );
}
