import { Anchor, Badge, Button, Group, Paper, SegmentedControl, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchIcon } from '../../components/icons.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import classes from './policies.module.css';
import { countOf, policiesQuery } from './queries.ts';
import { TemplateList } from './templates/template-list.tsx';
import { useReadOnlyReason } from './use-builder.ts';

const views = [
  { value: 'workspace', label: 'Of the workspace' },
  { value: 'templates', label: 'Of new workspaces' },
];

/** The policies of the chosen workspace, and those that new workspaces get. */
export function Policies() {
  const { workspace } = usePlace();
  const { view = 'workspace' } = useSearch({ from: '/o/$org/$env/policies' });
  const navigate = useNavigate();
  return (
    <Screen
      title="Policies"
      intro="What members may do. A member holds policies directly and through groups; nothing else allows anything."
      actions={view === 'templates' ? <NewTemplate /> : <NewPolicy />}
    >
      <SegmentedControl
        aria-label="Which policies are shown"
        data={views}
        value={view}
        w="fit-content"
        onChange={(chosen) =>
          void navigate({
            to: '.',
            search: (kept) => ({ ...kept, q: undefined, view: chosen === 'templates' ? chosen : undefined }),
          })
        }
      />
      {view === 'templates' ? (
        <TemplateList />
      ) : workspace === undefined ? (
        <ChooseWorkspace>Each workspace has policies of its own, which decide every call in it.</ChooseWorkspace>
      ) : (
        <PolicyList workspace={workspace} />
      )}
    </Screen>
  );
}

function NewPolicy() {
  const { org, env, workspace } = usePlace();
  const readOnlyReason = useReadOnlyReason();
  const navigate = useNavigate();
  return (
    <ReasonedButton
      reason={readOnlyReason ?? (workspace === undefined ? 'Choose a workspace first.' : undefined)}
      onClick={() => void navigate({ to: '/o/$org/$env/new-policy', params: { org, env } })}
    >
      New policy
    </ReasonedButton>
  );
}

function NewTemplate() {
  const { org, env, readOnlyReason, adminReason } = usePlace();
  const navigate = useNavigate();
  return (
    <ReasonedButton
      reason={readOnlyReason ?? adminReason}
      onClick={() => void navigate({ to: '/o/$org/$env/policy-template', params: { org, env } })}
    >
      New template
    </ReasonedButton>
  );
}

const searchMilliseconds = 250;

function PolicyList({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const { q = '' } = useSearch({ from: '/o/$org/$env/policies' });
  const navigate = useNavigate();
  const [search] = useDebouncedValue(q.trim(), searchMilliseconds);
  const pages = useInfiniteQuery(policiesQuery({ env, workspace }, search));
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Stack>
      <TextInput
        aria-label="Search policies"
        placeholder="Search by name"
        leftSection={<SearchIcon />}
        value={q}
        className={classes.search}
        onChange={({ currentTarget: { value } }) =>
          void navigate({
            to: '.',
            search: (kept) => ({ ...kept, q: value === '' ? undefined : value }),
            replace: true,
          })
        }
      />
      <ProblemAlert error={pages.error} />
      {pages.isPending && <LineSkeletons />}
      {items.length > 0 && <PolicyTable items={items} />}
      {pages.isSuccess && items.length === 0 && !pages.hasNextPage && (
        <EmptyState title={search === '' ? 'No policies' : 'No policy has this name'}>
          {search === ''
            ? 'The workspace has no policies, so no member may do anything.'
            : 'Search for a part of its name.'}
        </EmptyState>
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {search === '' ? 'Show more' : 'Search further'}
        </Button>
      )}
    </Stack>
  );
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly statements: number;
  readonly members: number;
  readonly groups: number;
  readonly is_of_platform: boolean;
  readonly updated_at: string;
}

function PolicyTable({ items }: { readonly items: readonly Row[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Policies">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th className={classes.number}>Statements</Table.Th>
            <Table.Th className={classes.number}>Members</Table.Th>
            <Table.Th className={classes.number}>Groups</Table.Th>
            <Table.Th>Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(({ id, name, statements, members, groups, is_of_platform, updated_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Group gap="xs">
                  <Anchor component={Link} to={`/o/${org}/${env}/policies/${id}`} fw={500}>
                    {name}
                  </Anchor>
                  {is_of_platform && <Badge variant="dot">by the platform</Badge>}
                  {members + groups === 0 && (
                    <Text size="xs" c="dimmed">
                      held by none
                    </Text>
                  )}
                </Group>
              </Table.Td>
              <Table.Td className={classes.number}>{statements}</Table.Td>
              <Table.Td className={classes.number}>{countOf(members)}</Table.Td>
              <Table.Td className={classes.number}>{countOf(groups)}</Table.Td>
              <Table.Td>
                <When at={updated_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
