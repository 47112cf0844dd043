import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import type { OnList } from '../../records/on-list.ts';
import { download } from '../save-file.ts';
import { forgetRecords } from '../save-record.ts';
import { failureReport } from './import-file.ts';
import { type Import, type ImportState, nothingImported, rowsOfPart, runImport, skipPart } from './import-run.ts';
import { RowErrorTable } from './row-error-table.tsx';

interface Props {
  readonly wanted: Import;
  /** The number of rows that the check found wrong. */
  readonly failing: number;
  readonly list: OnList;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onClose: () => void;
}

/** The import on its way, and its end: what was written, what was refused, and the refused rows as a file. */
export function ImportOutcome({ wanted, failing, list, onBusy, onClose }: Props) {
  const { actor, entity, file } = wanted;
  const partRows = rowsOfPart(failing);
  const [state, setState] = useState(nothingImported);
  const aborter = useRef<AbortController>(undefined);
  const run = useMutation({
    mutationFn: (from: ImportState) => {
      aborter.current = new AbortController();
      return runImport(wanted, { from, partRows, onProgress: setState, signal: aborter.current.signal });
    },
    onMutate: () => onBusy(true),
    onSettled: () => {
      onBusy(false);
      void forgetRecords(actor, entity);
      list.refresh();
    },
  });
  const { mutate } = run;
  const isStarted = useRef(false);
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    mutate(nothingImported);
  }, [mutate]);
  const resume = (from: ImportState) => {
    setState(from);
    mutate(from);
  };
  const left = file.rows.length - state.rows;
  return (
    <Stack>
      <UnsavedGuard isDirty={run.isPending} />
      <Progress value={(100 * state.rows) / file.rows.length} aria-label="Rows" animated={run.isPending} />
      <Outcome state={state} isOver={run.isSuccess} left={left} />
      {run.isError && (
        <>
          <ProblemAlert error={run.error} />
          <Unanswered
            isUpsert={wanted.upsert !== undefined}
            rows={Math.min(partRows, left)}
            first={state.rows + 1}
            onAgain={() => resume(state)}
            onSkip={() => resume(skipPart(state, file, partRows))}
          />
        </>
      )}
      <RowErrorTable file={file} errors={state.errors} failed={state.failed} />
      <Group justify="flex-end">
        {state.errors.length > 0 && !run.isPending && (
          <Button
            variant="default"
            onClick={() => {
              const { name, text } = failureReport(file, state.errors);
              download(name, new Blob([text], { type: 'text/plain' }));
            }}
          >
            Download the refused rows
          </Button>
        )}
        {run.isPending ? (
          <Button variant="default" onClick={() => aborter.current?.abort()}>
            Stop
          </Button>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )}
      </Group>
    </Stack>
  );
}

interface OutcomeProps {
  readonly state: ImportState;
  readonly isOver: boolean;
  readonly left: number;
}

function Outcome({ state, isOver, left }: OutcomeProps) {
  const { created, updated, failed, uncertain } = state;
  const parts = [
    `${created} created`,
    `${updated} updated`,
    `${failed} refused`,
    ...(uncertain > 0 ? [`${uncertain} unknown`] : []),
    ...(isOver && left > 0 ? [`${left} not sent`] : []),
  ];
  return (
    <Text size="sm" role="status">
      {isOver ? 'The import has ended: ' : ''}
      {parts.join(', ')}.
    </Text>
  );
}

interface UnansweredProps {
  readonly isUpsert: boolean;
  readonly rows: number;
  readonly first: number;
  readonly onAgain: () => void;
  readonly onSkip: () => void;
}

/** What can be done about rows of which no answer says whether they were written. */
function Unanswered({ isUpsert, rows, first, onAgain, onSkip }: UnansweredProps) {
  if (rows === 0) return null;
  return (
    <Alert color="yellow" title={`Rows ${first} to ${first + rows - 1} have no complete answer.`}>
      <Stack gap="xs">
        <Text size="sm">
          Some of them may be written.{' '}
          {isUpsert
            ? 'Sent again, they update the records that they made.'
            : 'Sent again, those would be there twice, unless a unique index refuses them.'}
        </Text>
        <Group gap="xs">
          <Button variant="default" size="compact-sm" onClick={onAgain}>
            Send them again
          </Button>
          <Button variant="default" size="compact-sm" onClick={onSkip}>
            Go on behind them
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
