import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import { When } from '../../../components/when.tsx';
import classes from './health.module.css';
import type { Job, Queue } from './queries.ts';
import {
  areHoldersKnown,
  clockTime,
  failureSentence,
  type HeldBy,
  type Holder,
  jobName,
  jobSentence,
  queueName,
  queueRows,
  queueSentence,
} from './words.ts';

interface Props {
  readonly queues: readonly Queue[];
  readonly jobs: readonly Job[];
  /** By job: which nodes are at it. */
  readonly held: HeldBy;
}

/** What waits, what each kind of work did on this node since it started, and which nodes are at it. */
export function BackgroundWork({ queues, jobs, held }: Props) {
  return (
    <Stack gap="sm" component="section" aria-label="Background work">
      <Title order={2}>Background work</Title>
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Queues" miw={520}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Queue</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Longest waiting since</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {queueRows(queues).map(({ state, ...queue }) => (
              <Table.Tr key={queueName(queue)}>
                <Table.Td>{queueName(queue)}</Table.Td>
                <Table.Td>
                  {state === undefined ? 'It could not be read: its store does not answer.' : queueSentence(state)}
                </Table.Td>
                <Table.Td>
                  {state !== undefined && state.oldest_due_at !== null && <When at={state.oldest_due_at} />}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Jobs" miw={860}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Job</Table.Th>
              <Table.Th>On this node</Table.Th>
              <Table.Th>Held by</Table.Th>
              <Table.Th>Last run</Table.Th>
              <Table.Th>Last failure</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {jobs.map((job) => (
              <JobRow
                key={`${job.queue} ${job.name}`}
                job={job}
                holders={held.get(job.name) ?? []}
                areAllKnown={areHoldersKnown(job, queues)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

interface JobRowProps {
  readonly job: Job;
  readonly holders: readonly Holder[];
  readonly areAllKnown: boolean;
}

function JobRow({ job, holders, areAllKnown }: JobRowProps) {
  const { name, due, last_run_at, last_failure } = job;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm">{jobName(name)}</Text>
        <Text size="xs" c="dimmed">
          {name}
        </Text>
      </Table.Td>
      <Table.Td>
        {jobSentence(job)}
        {due !== null && due > 0 && ` ${queueSentence({ due, more: false })}`}
      </Table.Td>
      <Table.Td>
        {holders.length === 0
          ? areAllKnown
            ? 'no node'
            : 'not known'
          : holders.map(({ name, pieces, until }) => (
              <Text size="sm" key={name} className={classes.long ?? ''}>
                {name}
                {pieces > 1 && `, ${pieces} pieces`}, until {clockTime(until)}
              </Text>
            ))}
      </Table.Td>
      <Table.Td>{last_run_at === null ? 'none yet' : <When at={last_run_at} />}</Table.Td>
      <Table.Td>
        {last_failure === null ? (
          'none'
        ) : (
          <>
            <When at={last_failure.at} />: {failureSentence(last_failure)}
          </>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
