import { Anchor, Paper, Select, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { HiddenValues, useHidesValues } from '../../components/org/hidden-values.tsx';
import { Screen } from '../../components/screen.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
import { When } from '../../components/when.tsx';
import classes from '../policies/policies.module.css';
import { AccountState } from './account-state.tsx';
import { NewAppUser } from './new-app-user.tsx';
import { type AppUser, appUsersQuery, type ListedState, nameOf } from './queries.ts';

/** The accounts of the app in the environment, of all its workspaces. */
export function AppUsers() {
  const { env } = usePlace();
  const { state } = useSearch({ from: '/o/$org/$env/app-users' });
  const searched = useSearched();
  const hidesValues = useHidesValues();
  return (
    <Screen
      title="App users"
      intro="The accounts that sign in to the app, in all workspaces. What a user may do in a workspace is under Users."
      actions={<NewAppUser />}
    >
      <HiddenValues what="the emails and names of accounts, and search by these" />
      <SearchedList
        what="app users"
        by="start of the email, or id"
        searched={searched}
        isFixed={hidesValues}
        filters={<StateFilter state={state} />}
        pages={useInfiniteQuery(appUsersQuery(env, hidesValues ? '' : searched.settled, state))}
        none={
          state === undefined
            ? {
                title: 'No app users yet',
                text:
                  env === 'test'
                    ? 'An account is made here, or when a user signs in to the app for the first time.'
                    : 'An account is made when a user signs in to the app for the first time, by a password or by a provider.',
              }
            : { title: 'No such app users', text: noneWith[state] }
        }
        notFound="No email begins like this"
      >
        {(users) => <UserTable users={users} />}
      </SearchedList>
    </Screen>
  );
}

const noneWith: Readonly<Record<ListedState, string>> = {
  active: 'No account can be signed in to.',
  disabled: 'No account is disabled. An org admin disables one on its page.',
  password_suspended:
    'No password is suspended. That happens when another account proves the email address of an account with a password.',
};

const states = [
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Disabled' },
  { value: 'password_suspended', label: 'Password suspended' },
] as const;

function StateFilter({ state }: { readonly state: ListedState | undefined }) {
  const navigate = useNavigate();
  return (
    <Select
      aria-label="State"
      placeholder="Any state"
      data={[...states]}
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

function UserTable({ users }: { readonly users: readonly AppUser[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="App users" miw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Email</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => (
            <Table.Tr key={user.id}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/app-users/${user.id}${pageOf(user)}`} fw={500}>
                  {user.email}
                </Anchor>
                {!user.email_verified && (
                  <Text size="xs" c="dimmed">
                    not verified
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{nameOf(user)}</Table.Td>
              <Table.Td>
                <AccountState state={user.state} />
              </Table.Td>
              <Table.Td>
                <When at={user.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** Of an account that is being erased nothing is there any more but the jobs about its data. */
function pageOf({ state }: AppUser): string {
  return state === 'erasing' ? '/personal-data' : '';
}
