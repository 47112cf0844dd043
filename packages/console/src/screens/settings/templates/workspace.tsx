import { Anchor, Badge, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { JsonBlock } from '../../../components/json-block.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Screen } from '../../../components/screen.tsx';
import { Sentence } from '../../../components/sentence.tsx';
import { type Details, type DriftItem, detailsQuery } from './queries.ts';

/** In what one workspace differs from the template. */
export function WorkspaceDrift() {
  const { org, env } = usePlace();
  const { workspace } = useParams({ from: '/o/$org/$env/settings/templates/workspaces/$workspace' });
  const { replace } = useSearch({ from: '/o/$org/$env/settings/templates/workspaces/$workspace' });
  const details = useQuery(detailsQuery(env, workspace, replace === 'local'));
  return (
    <Screen
      title={details.data?.name ?? workspace}
      intro={`The workspace ${workspace}, compared with the template of new workspaces.`}
      actions={
        <Anchor component={Link} to={`/o/${org}/${env}/settings/templates`} size="sm">
          All workspaces
        </Anchor>
      }
    >
      <Loaded query={details}>{(shown) => <DriftView details={shown} />}</Loaded>
    </Screen>
  );
}

function DriftView({ details: { items, extras, extras_complete } }: { readonly details: Details }) {
  const { org, env } = usePlace();
  const { workspace } = useParams({ from: '/o/$org/$env/settings/templates/workspaces/$workspace' });
  const different = items.filter(({ state }) => state !== 'same');
  return (
    <Stack>
      {different.length === 0 ? (
        <EmptyState title="It has everything that the template has">
          {items.length === 0
            ? 'The template has no policies and groups beside those of the platform.'
            : 'All policies and groups of the template are there with its content.'}
        </EmptyState>
      ) : (
        different.map((item) => <Difference key={`${item.kind} ${item.name}`} item={item} />)
      )}
      <Title order={2}>Its own</Title>
      {extras.length === 0 ? (
        <Text size="sm" c="dimmed">
          It has no policies and groups beside the template and the platform.
        </Text>
      ) : (
        <List size="sm">
          {extras.map(({ kind, id, name }) => (
            <List.Item key={id}>
              {kind === 'policy' ? 'Policy' : 'Group'}{' '}
              <Anchor
                component={Link}
                to={`/o/${org}/${env}/${kind === 'policy' ? 'policies' : 'groups'}/${id}`}
                search={{ w: workspace } as never}
                size="sm"
                underline="always"
              >
                {name}
              </Anchor>
            </List.Item>
          ))}
          {!extras_complete && <List.Item>and more</List.Item>}
        </List>
      )}
    </Stack>
  );
}

const steps = {
  none: 'Nothing is to be done.',
  create: 'An application makes it.',
  replace: 'An application replaces it.',
  keep: 'An application leaves it, because the workspace may have made the difference itself.',
} as const;

/** Of a difference that the workspace may have made itself. */
const localSteps = {
  none: steps.none,
  create: 'This application makes it again, although the workspace itself may have removed it.',
  replace: 'This application replaces it, although the workspace may have made the difference itself.',
} as const;

function Difference({ item }: { readonly item: DriftItem }) {
  const { kind, name, state, step, before, after, widens, is_local: isLocal } = item;
  const title = `${kind === 'policy' ? 'Policy' : 'Group'} ${name}`;
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group gap="xs">
          <Title order={2} size="h4">
            {title}
          </Title>
          <Badge variant="dot" color={state === 'missing' ? 'red' : 'yellow'} tt="none">
            {state}
          </Badge>
        </Group>
        <Text size="sm">{isLocal && step !== 'keep' ? localSteps[step] : steps[step]}</Text>
        {widens.length > 0 && (
          <List size="sm">
            {widens.map((sentence) => (
              <List.Item key={sentence}>
                <Sentence text={sentence} />
              </List.Item>
            ))}
          </List>
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Side title="In the workspace" value={before} label={`${title} in the workspace`} />
          <Side title="In the template" value={after} label={`${title} in the template`} />
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}

function Side({ title, value, label }: { readonly title: string; readonly value: unknown; readonly label: string }) {
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {title}
      </Text>
      {value === null ? (
        <Text size="sm" c="dimmed">
          not there
        </Text>
      ) : (
        <JsonBlock label={label} value={value} />
      )}
    </div>
  );
}
