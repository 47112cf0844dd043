import { Grid, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { orgQuery, usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { FirstSteps } from './first-steps.tsx';
import { UsageCards } from './usage-cards.tsx';

const usageQuery = queryOptions({ queryKey: ['usage', 31], queryFn: () => call('showUsage', { query: { days: 31 } }) });

export function Home() {
  const { env } = usePlace();
  const org = useQuery(orgQuery);
  const usage = useQuery(usageQuery);
  const access = org.data?.environments[env];
  return (
    <Screen
      title="Home"
      intro={
        org.data === undefined ? 'What this environment has and uses' : `${org.data.name}, on the plan ${org.data.plan}`
      }
    >
      <Loaded query={usage} skeleton={<Skeleton height={150} radius="md" />}>
        {(data) => <UsageCards usage={data} env={env} />}
      </Loaded>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper withBorder p="md" h="100%">
            <Title order={2} mb="sm">
              First steps
            </Title>
            <Loaded query={usage}>
              {(data) => <FirstSteps usage={data} hasProduction={org.data?.environments.prod != null} />}
            </Loaded>
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="md" h="100%">
            <Stack gap="xs">
              <Title order={2}>What apps send</Title>
              <Text size="sm" c="dimmed">
                Apps name the org in their paths and this environment by its client id. Neither is a secret.
              </Text>
              <Fact name="Org code" value={org.data?.code} />
              <Fact name="Client id" value={access?.client_id} />
            </Stack>
          </Paper>
        </Grid.Col>
      </Grid>
    </Screen>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      {value === undefined ? <Skeleton height={16} width="70%" /> : <CopyId value={value} what={name.toLowerCase()} />}
    </div>
  );
}
