import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RefreshIcon } from '../../../components/icons.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Screen } from '../../../components/screen.tsx';
import { BackgroundWork } from './background-work.tsx';
import { NodeFacts } from './node-facts.tsx';
import { type Health, healthQuery, refreshSeconds } from './queries.ts';
import { Servers, Stores } from './stores.tsx';
import { stateWords } from './words.ts';

/** How the node that answers is, with its stores and its work in the background. */
export function NodeHealth() {
  const health = useQuery(healthQuery);
  return (
    <Screen
      title="Health"
      intro={`The node that answers this page, with its workers, stores and background work. It is read again every ${refreshSeconds} seconds.`}
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
      <NodeFacts node={health.node} />
      <Stores stores={health.stores} />
      <Servers servers={health.servers} />
      <BackgroundWork queues={health.queues} jobs={health.jobs} />
    </Stack>
  );
}
