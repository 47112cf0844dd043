import { Badge, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { When } from '../../../components/when.tsx';
import classes from './health.module.css';
import type { Health, Worker } from './queries.ts';
import { sizeOf, workerSentence } from './words.ts';

export function NodeFacts({ node }: Pick<Health, 'node'>) {
  const { version, node_version, data_version, started_at, resident_bytes, workers } = node;
  return (
    <Stack gap="sm" component="section" aria-label="The node that answers">
      <Title order={2}>The node that answers</Title>
      <Text size="sm">
        Freehold {version} on Node.js {node_version}, with data of version {data_version}. It started{' '}
        <When at={started_at} /> and uses {sizeOf(resident_bytes)} of memory.
      </Text>
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Threads" miw={640}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Thread</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Since</Table.Th>
              <Table.Th className={classes.number ?? ''}>Event loop delay (p99)</Table.Th>
              <Table.Th className={classes.number ?? ''}>Heap</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {workers.map((worker) => (
              <WorkerRow key={worker.name} worker={worker} />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

function WorkerRow({ worker }: { readonly worker: Worker }) {
  const { name, state, since, event_loop_delay, heap_used_bytes } = worker;
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      <Table.Td>
        <Badge variant="dot" color={state === 'serving' ? 'teal' : 'orange'} tt="none" mr="xs">
          {state}
        </Badge>
        <Text size="sm" component="span">
          {workerSentence(worker)}
        </Text>
      </Table.Td>
      <Table.Td>
        <When at={since} />
      </Table.Td>
      <Table.Td className={classes.number ?? ''}>
        {event_loop_delay === null ? 'not known' : `${event_loop_delay.p99_ms.toFixed(1)} ms`}
      </Table.Td>
      <Table.Td className={classes.number ?? ''}>
        {heap_used_bytes === null ? 'not known' : sizeOf(heap_used_bytes)}
      </Table.Td>
    </Table.Tr>
  );
}
