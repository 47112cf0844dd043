import { Alert, Grid, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { usageInput } from '../../api/inputs.ts';
import { meQuery, usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { FirstSteps, stepsOf } from './first-steps.tsx';
import { DenialsCard, overviewQuery, ReleasesAndHealth } from './overview.tsx';
import { UsageCards, WorkCards } from './usage-cards.tsx';
import { WorkspaceTable } from './workspace-table.tsx';

const usageQuery = queryOptions({ queryKey: ['usage', 31], queryFn: () => call('showUsage', usageInput) });

export function Home() {
  const { env, workspace } = usePlace();
  const { data: me } = useQuery(meQuery);
  const overview = useQuery(overviewQuery(env));
  const usage = useQuery(usageQuery);
  const environments = me?.org.environments;
  const { first_steps: access, workspaces } = overview.data ?? {};
  const steps =
    usage.data === undefined || access === undefined
      ? []
      : stepsOf({
          usage: usage.data,
          workspaces: workspaces?.items ?? [],
          access,
          hasProduction: environments?.prod != null,
        }).filter(({ isOfProduction = false }) => env === 'test' || isOfProduction);
  const plan = usage.data === undefined ? '' : `, on the plan ${usage.data.plan.name}`;
  return (
    <Screen title="Home" intro={me === undefined ? undefined : `${me.org.name}${plan}`}>
      {usage.data?.alerts.map(({ message, level }) => (
        <Alert key={message} color={level === 'critical' ? 'red' : 'yellow'} title={message} />
      ))}
      <Loaded query={usage} skeleton={<Skeleton height={115} radius="md" />}>
        {(data) => (
          <>
            <UsageCards usage={data} env={env} workspace={workspace} />
            <WorkCards usage={data} />
          </>
        )}
      </Loaded>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            {steps.some(({ isDone }) => !isDone) && (
              <Paper withBorder p="md">
                <Title order={2} mb="sm">
                  First steps
                </Title>
                <FirstSteps steps={steps} />
              </Paper>
            )}
            <Paper withBorder p="md">
              <Title order={2} mb="sm">
                Workspaces
              </Title>
              <WorkspaceTable usage={usage.data} />
            </Paper>
            <DenialsCard />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Paper withBorder p="md">
              <Stack gap="xs">
                <Title order={2}>What apps send</Title>
                <Text size="sm" c="dimmed">
                  Apps name the org in their paths and this environment by its client id. Neither is a secret.
                </Text>
                <Fact name="Org code" value={me?.org.code} />
                <Fact name="Client id" value={environments?.[env]?.client_id} />
              </Stack>
            </Paper>
            <ReleasesAndHealth />
          </Stack>
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
