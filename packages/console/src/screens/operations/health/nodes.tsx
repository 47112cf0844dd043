import { Badge, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { When } from '../../../components/when.tsx';
import classes from './health.module.css';
import type { Health, Node } from './queries.ts';
import { listedSentence, nodeWords, notWellSentence, sizeOf } from './words.ts';

/** Every process of the platform that shares the store. */
export function Nodes({ nodes, nodes_listed }: Pick<Health, 'nodes' | 'nodes_listed'>) {
  return (
    <Stack gap="sm" component="section" aria-label="Nodes">
      <Title order={2}>Nodes</Title>
      <Text size="sm">{listedSentence({ nodes, nodes_listed })}</Text>
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Nodes" miw={820}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Node</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Release</Table.Th>
              <Table.Th>Started</Table.Th>
              <Table.Th className={classes.number ?? ''}>Memory</Table.Th>
              <Table.Th className={classes.number ?? ''}>Event loop delay (p99)</Table.Th>
              <Table.Th className={classes.number ?? ''}>Jobs now</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {nodes.map((node) => (
              <NodeRow key={node.id} node={node} />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

function NodeRow({ node }: { readonly node: Node }) {
  const { id, host, listens, version, started_at, resident_bytes, event_loop_delay, jobs_running } = node;
  const { word, color } = nodeWords(node);
  const number = classes.number ?? '';
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} className={classes.long ?? ''}>
          {host}
        </Text>
        <Text size="xs" c="dimmed" className={classes.long ?? ''}>
          {[listens.management, listens.app].filter((address) => address !== null).join(', ')}
        </Text>
        <Text size="xs" c="dimmed" title={id}>
          {id.slice(0, 8)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="dot" color={color} tt="none">
          {word}
        </Badge>
        <Text size="xs" c="dimmed">
          {node.this_node ? (
            'It answers this page.'
          ) : node.state === 'silent' ? (
            <>
              Not heard of since <When at={node.heard_at} />
            </>
          ) : (
            <>
              Heard of <When at={node.heard_at} />
            </>
          )}
        </Text>
        {node.servers_not_well > 0 && <Text size="xs">{notWellSentence(node)}</Text>}
      </Table.Td>
      <Table.Td>{version}</Table.Td>
      <Table.Td>
        <When at={started_at} />
      </Table.Td>
      <Table.Td className={number}>{sizeOf(resident_bytes)}</Table.Td>
      <Table.Td className={number}>
        {event_loop_delay === null ? 'not known' : `${event_loop_delay.p99_ms.toFixed(1)} ms`}
      </Table.Td>
      <Table.Td className={number}>{jobs_running}</Table.Td>
    </Table.Tr>
  );
}
