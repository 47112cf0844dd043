import { Anchor, Badge, Paper, Select, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Screen } from '../../components/screen.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
import { When } from '../../components/when.tsx';
import classes from '../policies/policies.module.css';
import { firstWorkspace } from './first-workspace.ts';
import { NewWorkspace } from './new-workspace.tsx';
import { figure, type ListedWorkspace, workspacesQuery } from './queries.ts';
import { SuspendedBadge } from './suspended-badge.tsx';

/** The workspaces of the environment, each with what it holds. */
export function Workspaces() {
  const { env } = usePlace();
  const { state } = useSearch({ from: '/o/$org/$env/workspaces' });
  const searched = useSearched();
  return (
    <Screen
      title="Workspaces"
      intro="The tenants of the app. Each has members, policies and records of its own, and sees nothing of the others."
      actions={<NewWorkspace />}
    >
      <SearchedList
        what="workspaces"
        by="start of the code"
        searched={searched}
        filters={<StateFilter state={state} />}
        pages={useInfiniteQuery(workspacesQuery(env, searched.settled.toLowerCase(), state))}
        none={
          state === undefined
            ? {
                title: 'No workspaces yet',
                text: `${firstWorkspace(env)} With several workspaces, each user can found more.`,
              }
            : {
                title: 'No suspended workspaces',
                text: 'No workspace is suspended. An org admin suspends one on its page.',
              }
        }
        notFound="No code begins like this"
      >
        {(workspaces) => <WorkspaceTable workspaces={workspaces} />}
      </SearchedList>
    </Screen>
  );
}

function StateFilter({ state }: { readonly state: 'suspended' | undefined }) {
  const navigate = useNavigate();
  return (
    <Select
      aria-label="State"
      placeholder="Any state"
      data={[{ value: 'suspended', label: 'Suspended' }]}
      value={state ?? null}
      clearable
      w={200}
      onChange={(chosen) =>
        void navigate({
          to: '.',
          search: (kept: object) => ({ ...kept, state: chosen ?? undefined }) as never,
          replace: true,
        })
      }
    />
  );
}

function WorkspaceTable({ workspaces }: { readonly workspaces: readonly ListedWorkspace[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Workspaces" miw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Workspace</Table.Th>
            <Table.Th className={classes.number}>Members</Table.Th>
            <Table.Th className={classes.number}>Records</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {workspaces.map(({ id, code, name, state, suspended, members, records, created_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/workspaces/${code}`} fw={500}>
                  {name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {code} {state === 'founding' && <Badge variant="dot">being founded</Badge>}
                  {suspended !== null && <SuspendedBadge />}
                </Text>
              </Table.Td>
              <Table.Td className={classes.number}>{figure(members)}</Table.Td>
              <Table.Td className={classes.number}>{figure(records)}</Table.Td>
              <Table.Td>
                <When at={created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
