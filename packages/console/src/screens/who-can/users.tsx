import { Anchor, Badge, Button, Group, Paper, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchIcon } from '../../components/icons.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Screen } from '../../components/screen.tsx';
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
        <EmptyState title="Choose a workspace">
          Users are members of workspaces. Choose one in the switch at the top.
        </EmptyState>
      ) : (
        <UserList workspace={workspace} />
      )}
    </Screen>
  );
}

function UserList({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const { q = '' } = useSearch({ from: '/o/$org/$env/users' });
  const navigate = useNavigate();
  const [settled] = useDebouncedValue(q.trim(), 250);
  const users = useInfiniteQuery(membersQuery({ env, workspace }, settled));
  return (
    <>
      <Group>
        <TextInput
          aria-label="Search users"
          placeholder="Search by email or name"
          leftSection={<SearchIcon />}
          value={q}
          maxLength={128}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              to: '.',
              search: (kept: object) => ({ ...kept, q: value === '' ? undefined : value }) as never,
              replace: true,
            })
          }
          className={classes.search ?? ''}
        />
      </Group>
      <Loaded query={users}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <NoUsers isSearch={settled !== ''} isMore={users.hasNextPage} />
          ) : (
            <UserTable users={items} />
          );
        }}
      </Loaded>
      {users.data !== undefined && <ProblemAlert error={users.error} />}
      {users.hasNextPage && (
        <Group>
          <Button variant="default" loading={users.isFetchingNextPage} onClick={() => void users.fetchNextPage()}>
            {settled === '' ? 'Show more' : 'Search further'}
          </Button>
        </Group>
      )}
    </>
  );
}

function NoUsers({ isSearch, isMore }: { readonly isSearch: boolean; readonly isMore: boolean }) {
  if (!isSearch)
    return <EmptyState title="No users yet">The first user who signs in to the app founds a workspace.</EmptyState>;
  return (
    <EmptyState title={isMore ? 'Not found so far' : 'No user has this email or name'}>
      {isMore ? 'There are more users to search.' : 'Search for a part of the email or of the name.'}
    </EmptyState>
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
    <Badge variant="outline" color={status === 'active' ? 'gray' : 'red'} tt="none">
      {status.replaceAll('_', ' ')}
    </Badge>
  );
}
