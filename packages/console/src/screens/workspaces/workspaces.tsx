import { Anchor, Badge, Paper, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Screen } from '../../components/screen.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
import { When } from '../../components/when.tsx';
import classes from '../policies/policies.module.css';
import { figure, type ListedWorkspace, workspacesQuery } from './queries.ts';

/** The workspaces of the environment, each with what it holds. */
export function Workspaces() {
  const { env } = usePlace();
  const searched = useSearched();
  return (
    <Screen
      title="Workspaces"
      intro="The tenants of the app. Each has members, policies and records of its own, and sees nothing of the others."
    >
      <SearchedList
        what="workspaces"
        by="start of the code"
        searched={searched}
        pages={useInfiniteQuery(workspacesQuery(env, searched.settled.toLowerCase()))}
        none={{
          title: 'No workspaces yet',
          text: 'The first user who signs in to the app founds a workspace and is its admin. With several workspaces, each user can found more.',
        }}
        notFound="No code begins like this"
      >
        {(workspaces) => <WorkspaceTable workspaces={workspaces} />}
      </SearchedList>
    </Screen>
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
          {workspaces.map(({ id, code, name, state, members, records, created_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/workspaces/${code}`} fw={500}>
                  {name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {code} {state === 'founding' && <Badge variant="dot">being founded</Badge>}
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
