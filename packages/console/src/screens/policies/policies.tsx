import { Anchor, Badge, Group, Paper, SegmentedControl, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
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

function PolicyList({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const searched = useSearched();
  return (
    <SearchedList
      what="policies"
      by="name"
      searched={searched}
      pages={useInfiniteQuery(policiesQuery({ env, workspace }, searched.settled))}
      none={{ title: 'No policies', text: 'The workspace has no policies, so no member may do anything.' }}
      notFound="No policy has this name"
    >
      {(items) => <PolicyTable items={items} />}
    </SearchedList>
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
