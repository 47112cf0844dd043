import { Button, Group, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { CopyId } from '../../../components/copy-id.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import type { OnList, Row } from '../../records/on-list.ts';
import { recordTitle } from '../../records/record-title.ts';
import type { BatchRun } from './use-batch-run.ts';

interface Props {
  readonly run: BatchRun;
  /** What was done to a record: `deleted`. */
  readonly done: string;
  readonly rows: readonly Row[];
  readonly list: OnList;
  readonly onClose: () => void;
}

/** How far a run of many changes is, and the records that it failed at. */
export function BatchOutcome({ run, done, rows, list, onClose }: Props) {
  const { progress, total } = run;
  const { failures } = progress;
  const names = new Map(rows.map((row) => [row.id, recordTitle(row)]));
  return (
    <Stack>
      <Progress value={(100 * progress.done) / total} aria-label="Records" animated={run.isRunning} />
      <Text size="sm" role="status">
        {progress.done - failures.length} of {total} {done}
        {failures.length > 0 ? `, ${failures.length} refused` : ''}
        {run.isOver && progress.done < total ? `, ${total - progress.done} not tried` : ''}.
      </Text>
      {failures.length > 0 && (
        <ScrollArea.Autosize mah={280}>
          <Table aria-label="Refused records">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Record</Table.Th>
                <Table.Th>Why</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {failures.map(({ id, problem }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    {names.get(id)} <CopyId value={id} what="id of the record" />
                  </Table.Td>
                  <Table.Td>
                    {[problem.detail, ...(problem.errors ?? []).map(({ message }) => message)].join('; ')} (
                    {problem.code})
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
      <ProblemAlert error={run.error} />
      <Group justify="flex-end">
        {run.error !== null && <Button onClick={() => run.start([])}>Go on</Button>}
        {run.isRunning ? (
          <Button variant="default" onClick={run.stop}>
            Stop
          </Button>
        ) : (
          <Button
            variant="default"
            onClick={() => {
              if (run.isOver) list.clearSelection();
              onClose();
            }}
          >
            Close
          </Button>
        )}
      </Group>
    </Stack>
  );
}
