import { Badge, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { When } from '../../../components/when.tsx';
import type { Server, Store } from './queries.ts';
import { failureSentence, serverSentence, sizeOf, spaceNames, storeSentence } from './words.ts';

export function Stores({ stores }: { readonly stores: readonly Store[] }) {
  return (
    <Stack gap="sm" component="section" aria-label="Stores">
      <Title order={2}>Stores</Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {stores.map((store) => (
          <StoreCard key={store.space} store={store} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

const titles: Readonly<Record<Store['space'], string>> = { platform: 'Platform', test: 'Test', prod: 'Production' };

function StoreCard({ store }: { readonly store: Store }) {
  const { space, state, engine, data_bytes, index_bytes, log_bytes, sizes_unknown, last_failure } = store;
  return (
    <Paper withBorder p="md" component="section" aria-label={spaceNames[space]}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={3} size="h5">
            {titles[space]}
          </Title>
          <Badge variant="dot" color={state === 'ok' ? 'teal' : 'red'} tt="none">
            {state === 'ok' ? 'well' : 'failed'}
          </Badge>
        </Group>
        <Text size="sm">{storeSentence(store)}</Text>
        <Text size="sm" c="dimmed">
          {engine}
          {data_bytes !== null && `, ${sizeOf(data_bytes)} of data`}
          {index_bytes !== null && `, ${sizeOf(index_bytes)} of indexes`}
          {log_bytes !== null && `, ${sizeOf(log_bytes)} of log`}
        </Text>
        {sizes_unknown !== null && (
          <Text size="sm" c="dimmed">
            Its sizes are not known: {sizes_unknown}.
          </Text>
        )}
        {last_failure !== null && (
          <Text size="sm" c="dimmed">
            A {last_failure.call} failed <When at={last_failure.at} />: {failureSentence(last_failure)}.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

/** The servers that are not well; nothing where all are. */
export function Servers({ servers }: { readonly servers: readonly Server[] }) {
  if (servers.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Servers that are not well">
      <Title order={2}>Servers that are not well</Title>
      {servers.map((server) => (
        <Paper key={server.server} withBorder p="sm">
          <Text size="sm">
            <strong>{server.server}</strong>, since <When at={server.since} />: {serverSentence(server)}
          </Text>
        </Paper>
      ))}
    </Stack>
  );
}
