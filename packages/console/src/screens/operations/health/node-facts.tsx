import { Stack, Text, Title } from '@mantine/core';
import { When } from '../../../components/when.tsx';
import type { Health } from './queries.ts';
import { memorySentence } from './words.ts';

export function NodeFacts({ node }: Pick<Health, 'node'>) {
  const { version, node_version, data_version, started_at } = node;
  return (
    <Stack gap="sm" component="section" aria-label="The node that answers">
      <Title order={2}>The node that answers</Title>
      <Text size="sm">
        Freehold {version} on Node.js {node_version}, with data of version {data_version}. It started{' '}
        <When at={started_at} />. {memorySentence(node)}
      </Text>
    </Stack>
  );
}
