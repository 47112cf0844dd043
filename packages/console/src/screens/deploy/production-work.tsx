import { Alert, Anchor, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { counted } from '../../components/words/counted.ts';
import { type Build, isAtWork, productionWorkQuery } from './queries.ts';

const figures = new Intl.NumberFormat('en');

/** What the platform still does to production's records after a release: indexes, new fields, conversions. */
export function ProductionWork() {
  const { org } = usePlace();
  const overview = useQuery(productionWorkQuery);
  if (overview.data === undefined) return <ProblemAlert error={overview.error} />;
  const { items } = overview.data.builds;
  if (items.length === 0) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Work on production’s records">
      <Stack gap="sm">
        {items.map((build) => (
          <div key={build.entity}>
            <Group gap="xs">
              <Anchor component={Link} to={`/o/${org}/prod/entities/${build.entity}?tab=indexes`} size="sm" fw={600}>
                {build.entity}
              </Anchor>
              <Text size="sm">{sentenceOf(build)}</Text>
            </Group>
            <WorkProgress build={build} />
            {build.indexes.failed + build.fills.failed > 0 && (
              <Alert color="red" p="xs" mt={4} title="Part of it has failed. Open the entity to see why." />
            )}
          </div>
        ))}
      </Stack>
    </Paper>
  );
}

function sentenceOf({ indexes, fills }: Build): string {
  const parts = [
    ...(indexes.building > 0 ? [`indexes that are being built: ${indexes.building}`] : []),
    ...(fills.filling > 0 ? [`fields whose values are being written: ${fills.filling}`] : []),
    ...(indexes.failed > 0 ? [`indexes that failed: ${indexes.failed}`] : []),
    ...(fills.failed > 0 ? [`fields that failed: ${fills.failed}`] : []),
  ];
  return parts.join(', ');
}

function WorkProgress({ build }: { readonly build: Build }) {
  const { progress } = build;
  if (!isAtWork(build) || progress === null) return null;
  const { done, total } = progress;
  return (
    <Group gap="xs" mt={4} wrap="nowrap">
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        flex={1}
        size="sm"
        aria-label={`Progress of ${build.entity}`}
      />
      <Text size="xs" c="dimmed">
        {figures.format(done)} of {counted(total, 'record')}
      </Text>
    </Group>
  );
}
