import { Anchor, Badge, Paper, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { hiddenStatus } from '../../api/shown-values.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { AdminsInProduction } from '../../components/org/hidden-values.tsx';
import { Screen } from '../../components/screen.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
import { ExportMatrix } from './export-matrix.tsx';
import { type Member, membersQuery } from './queries.ts';
import classes from './who-can.module.css';

/** The users of a workspace, with their groups and policies. */
export function Users() {
  const { workspace } = usePlace();
  return (
    <Screen
      title="Users"
      intro="Who is in the workspace, and what each user may do."
      actions={workspace === undefined ? undefined : <ExportMatrix key={workspace} workspace={workspace} />}
    >
      {workspace === undefined ? (
        <ChooseWorkspace>Users are members of workspaces.</ChooseWorkspace>
      ) : (
        <AdminsInProduction what="the users">
          <UserList workspace={workspace} />
        </AdminsInProduction>
      )}
    </Screen>
  );
}

function UserList({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const searched = useSearched();
  return (
    <SearchedList
      what="users"
      by="email or name"
      searched={searched}
      pages={useInfiniteQuery(membersQuery({ env, workspace }, searched.settled))}
      none={{ title: 'No users yet', text: 'The first user who signs in to the app founds a workspace.' }}
      notFound="No user has this email or name"
    >
      {(users) => <UserTable users={users} />}
    </SearchedList>
  );
}

function UserTable({ users }: { readonly users: readonly Member[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Users" miw={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>User</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Groups</Table.Th>
            <Table.Th>Policies held directly</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map(({ user_id, email, name, status, role, groups, policies }) => (
            <Table.Tr key={user_id}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/users/${user_id}`} fw={500}>
                  {email}
                </Anchor>
                {name !== '' && (
                  <Text size="xs" c="dimmed">
                    {name}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <State status={status} />
              </Table.Td>
              <Table.Td>{role}</Table.Td>
              <Table.Td>{groups.map((group) => group.name).join(', ')}</Table.Td>
              <Table.Td>{policies.map((policy) => policy.name).join(', ')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** Whether the user is let in. */
export function State({ status }: { readonly status: string }) {
  return (
    <Badge variant="outline" color={status === 'active' || status === hiddenStatus ? 'gray' : 'red'} tt="none">
      {status.replaceAll('_', ' ')}
    </Badge>
  );
}
