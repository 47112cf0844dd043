import { Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Actor, callApp } from '../../api/app.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { counted } from '../../components/words/counted.ts';
import type { Job } from './record-queries.ts';

interface Props {
  readonly actor: Actor;
  readonly started: Job;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const progressMilliseconds = 500;
const isOver = ({ state }: Job): boolean => state !== 'queued' && state !== 'running';

const sentences: Readonly<Record<string, string>> = {
  queued: 'The delete waits for its turn.',
  running: 'Records are being deleted. Closing this does not stop it.',
  done: 'All are deleted.',
  failed: 'The delete failed. What these records say keeps it from going on:',
  cancelled: 'The delete was cancelled. What was deleted by then is gone.',
};

/** A delete that goes on after its call: how far it is, what failed, and its end. */
export function RemovalJob({ actor, started, onDone, onClose }: Props) {
  const path = `/jobs/${encodeURIComponent(started.id)}` as const;
  const { data: job = started, error } = useQuery({
    queryKey: ['jobs', actor, started.id],
    queryFn: async ({ signal }) => (await callApp(actor, 'GET', path, { signal })).body as Job,
    refetchInterval: ({ state }) => (state.data !== undefined && isOver(state.data) ? false : progressMilliseconds),
  });
  const cancel = useMutation({ mutationFn: () => callApp(actor, 'DELETE', path) });
  const isDone = job.state === 'done';
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone, onDone]);
  const percent = job.total === 0 ? 0 : (100 * job.done) / job.total;
  return (
    <Stack role="status" aria-label="Progress of the delete">
      <Text size="sm">{sentences[job.state] ?? job.state}</Text>
      <Progress value={isDone ? 100 : percent} aria-label="Deleted records" animated={!isOver(job)} />
      <Text size="sm">
        {job.done.toLocaleString('en')} of {counted(job.total, 'record')}
      </Text>
      <List size="sm">
        {job.failed.map(({ entity, id, message }) => (
          <List.Item key={id}>
            {entity} <CopyId value={id} what="id of the record" />: {message}
          </List.Item>
        ))}
      </List>
      <ProblemAlert error={cancel.error ?? error} />
      <Group justify="flex-end">
        {!isOver(job) && (
          <Button variant="default" color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the delete
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
