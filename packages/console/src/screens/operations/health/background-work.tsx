import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import { When } from '../../../components/when.tsx';
import type { Job, Queue } from './queries.ts';
import { failureSentence, jobName, jobSentence, queueName, queueSentence } from './words.ts';

interface Props {
  readonly queues: readonly Queue[];
  readonly jobs: readonly Job[];
}

/** What waits, and what each kind of work did on this node since it started. */
export function BackgroundWork({ queues, jobs }: Props) {
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
            {queues.map((queue) => (
              <Table.Tr key={queueName(queue)}>
                <Table.Td>{queueName(queue)}</Table.Td>
                <Table.Td>{queueSentence(queue)}</Table.Td>
                <Table.Td>{queue.oldest_due_at !== null && <When at={queue.oldest_due_at} />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Jobs" miw={720}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Job</Table.Th>
              <Table.Th>On this node</Table.Th>
              <Table.Th>Last run</Table.Th>
              <Table.Th>Last failure</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {jobs.map((job) => (
              <JobRow key={`${job.queue} ${job.name}`} job={job} />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

function JobRow({ job }: { readonly job: Job }) {
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
