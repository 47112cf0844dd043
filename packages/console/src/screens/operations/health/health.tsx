import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RefreshIcon } from '../../../components/icons.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Screen } from '../../../components/screen.tsx';
import { BackgroundWork } from './background-work.tsx';
import { NodeFacts } from './node-facts.tsx';
import { Nodes } from './nodes.tsx';
import { type Health, healthQuery, refreshSeconds } from './queries.ts';
import { Servers, Stores } from './stores.tsx';
import { heldBy, stateWords } from './words.ts';

/** The way the nodes are, and what the node that answers sees of the stores and of the work in the background. */
export function NodeHealth() {
  const health = useQuery(healthQuery);
  return (
    <Screen
      title="Health"
      intro={`The nodes of the platform, the node that answers this page, the stores, and the background work. It is read again every ${refreshSeconds} seconds.`}
      actions={
        <Button variant="default" leftSection={<RefreshIcon />} onClick={() => void health.refetch()}>
          Refresh
        </Button>
      }
    >
      {health.data !== undefined && health.error !== null && (
        <Stack gap="xs">
          <Text size="sm">The node could not be read again. This is what it said last.</Text>
          <ProblemAlert error={health.error} />
        </Stack>
      )}
      <Loaded query={health}>{(data) => <Shown health={data} />}</Loaded>
    </Screen>
  );
}

function Shown({ health }: { readonly health: Health }) {
  const { title, sentence, color } = stateWords(health);
  return (
    <Stack gap="xl">
      <Alert color={color} title={title} role="status">
        {sentence}
      </Alert>
      <Nodes nodes={health.nodes} nodes_listed={health.nodes_listed} />
      <NodeFacts node={health.node} />
      <Stores stores={health.stores} />
      <Servers servers={health.servers} />
      <BackgroundWork queues={health.queues} jobs={health.jobs} held={heldBy(health)} />
    </Stack>
  );
}
