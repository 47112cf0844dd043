import type { overviewApi } from '@freehold/contract/management/overview';
import type { ReplyOf } from '@freehold/contract/route';
import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { overviewInput } from '../../api/inputs.ts';
import { type Environment, usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';

type Overview = ReplyOf<typeof overviewApi.showOverview>;

export const overviewQuery = (env: Environment) =>
  queryOptions({
    queryKey: ['overview', env],
    queryFn: () => call('showOverview', overviewInput(env)),
  });

/** The last calls that no policy allowed. */
export function DenialsCard() {
  const { env } = usePlace();
  const overview = useQuery(overviewQuery(env));
  return (
    <Card title="Recent denials">
      <Loaded query={overview}>{({ denials }) => <Denials denials={denials} />}</Loaded>
    </Card>
  );
}

/** The last releases, and work in the background that waits or has failed. */
export function ReleasesAndHealth() {
  const { org, env } = usePlace();
  const overview = useQuery(overviewQuery(env));
  return (
    <>
      <Card
        title="Recent releases"
        link={{ to: `/o/${org}/${env}/deploy`, search: { tab: 'releases' }, label: 'All releases' }}
      >
        <Loaded query={overview}>{({ releases }) => <Releases releases={releases} />}</Loaded>
      </Card>
      <Card title="Health">
        <Loaded query={overview}>{(data) => <Health overview={data} />}</Loaded>
      </Card>
    </>
  );
}

interface CardProps {
  readonly title: string;
  /** To the screen that shows all of it. */
  readonly link?: { readonly to: string; readonly search: object; readonly label: string };
  readonly children: ReactNode;
}

function Card({ title, link, children }: CardProps) {
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2}>{title}</Title>
        {link !== undefined && (
          <Anchor component={Link} to={link.to} search={link.search as never} size="sm">
            {link.label}
          </Anchor>
        )}
      </Group>
      {children}
    </Paper>
  );
}

function Quiet({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

function Denials({ denials }: Pick<Overview, 'denials'>) {
  const { org, env } = usePlace();
  if (denials.length === 0)
    return <Quiet>None. A call that no policy allows would be shown here, with the reason.</Quiet>;
  return (
    <Stack gap="sm">
      {denials.map(({ decision_id: id, at, action, resource, tenant_code }) => (
        <div key={id}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Anchor
              component={Link}
              to={`/o/${org}/${env}/decisions`}
              search={{ id } as never}
              size="sm"
              fw={500}
              truncate
            >
              {resource}
            </Anchor>
            <Text size="xs" c="dimmed" style={{ flex: 'none' }}>
              <When at={at} />
            </Text>
          </Group>
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {action} in {tenant_code}
            </Text>
            <CopyId value={id} what="decision id" />
          </Group>
        </div>
      ))}
    </Stack>
  );
}

/** The latest is in force, and is live with the release that it restored, where it is a rollback. */
function Releases({ releases }: Pick<Overview, 'releases'>) {
  if (releases.length === 0) return <Quiet>None. A release takes the configuration of test to production.</Quiet>;
  return (
    <Stack gap="xs">
      {releases.map(({ version, action, at, note, live, items }, place) => (
        <Group key={version} justify="space-between" gap="xs" wrap="nowrap">
          <Text size="sm" truncate>
            {action === 'rollback' ? 'Rollback' : 'Release'} {version}, {counted(items, 'item')}
            {note === undefined ? '' : `: ${note}`}
          </Text>
          <Group gap="xs" wrap="nowrap" style={{ flex: 'none' }}>
            {(place === 0 || (live && action === 'activate')) && (
              <Badge size="sm" variant="outline" color="gray" tt="none">
                {place === 0 ? 'live' : 'restored'}
              </Badge>
            )}
            <Text size="xs" c="dimmed">
              <When at={at} />
            </Text>
          </Group>
        </Group>
      ))}
    </Stack>
  );
}

/** What waits or has failed, a sentence each. */
function Health({ overview }: { readonly overview: Overview }) {
  const { builds, jobs, webhook } = overview;
  const delivery = webhook?.last_delivery;
  const sentences = [
    ...builds.items.flatMap(({ entity, indexes, fills }) => [
      ...(indexes.failed + fills.failed > 0
        ? [`${entity}: ${counted(indexes.failed + fills.failed, 'build has', 'builds have')} failed`]
        : []),
      ...(indexes.building + fills.filling > 0
        ? [`${entity}: ${counted(indexes.building + fills.filling, 'build goes', 'builds go')} on`]
        : []),
    ]),
    ...(jobs.waiting > 0 ? [`Background jobs that wait or go on: ${jobs.waiting}`] : []),
    ...(delivery == null || delivery.state === 'delivered' ? [] : [`The last alert is ${delivery.state}`]),
  ];
  if (sentences.length === 0) return <Quiet>Nothing is being built, waits or has failed.</Quiet>;
  return (
    <Stack gap={4}>
      {sentences.map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
    </Stack>
  );
}
