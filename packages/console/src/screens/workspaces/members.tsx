import { Anchor, Paper, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { AdminsInProduction } from '../../components/org/hidden-values.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
import classes from '../policies/policies.module.css';
import { type Member, membersQuery } from '../who-can/queries.ts';
import { State } from '../who-can/users.tsx';

/** The members of a workspace, each with the account and the access. */
export function Members({ code }: { readonly code: string }) {
  return (
    <AdminsInProduction what="the members">
      <MemberList code={code} />
    </AdminsInProduction>
  );
}

function MemberList({ code }: { readonly code: string }) {
  const { env } = usePlace();
  const searched = useSearched();
  return (
    <SearchedList
      what="members"
      by="email or name"
      searched={searched}
      pages={useInfiniteQuery(membersQuery({ env, workspace: code }, searched.settled))}
      none={{ title: 'No members', text: 'The workspace has no members. Invite a person by email.' }}
      notFound="No member has this email or name"
    >
      {(members) => <MemberTable code={code} members={members} />}
    </SearchedList>
  );
}

function MemberTable({ code, members }: { readonly code: string; readonly members: readonly Member[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Members" miw={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Member</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Groups</Table.Th>
            <Table.Th>Policies held directly</Table.Th>
            <Table.Th>Access</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map(({ user_id, email, name, role, status, groups, policies }) => (
            <Table.Tr key={user_id}>
              <Table.Td>
                {isServer(email) ? (
                  <Text size="sm">{name}, a service key</Text>
                ) : (
                  <Anchor component={Link} to={`/o/${org}/${env}/app-users/${user_id}`} fw={500}>
                    {email}
                  </Anchor>
                )}
                <Text size="xs" c="dimmed">
                  {[isServer(email) ? '' : name, role].filter((text) => text !== '').join(', ')}
                </Text>
              </Table.Td>
              <Table.Td>
                <State status={status} />
              </Table.Td>
              <Table.Td>{groups.map((group) => group.name).join(', ')}</Table.Td>
              <Table.Td>{policies.map((policy) => policy.name).join(', ')}</Table.Td>
              <Table.Td>
                <Anchor
                  component={Link}
                  to={`/o/${org}/${env}/users/${user_id}`}
                  search={{ w: code } as never}
                  size="sm"
                  aria-label={`What may be done by ${isServer(email) ? name : email}`}
                >
                  What may be done
                </Anchor>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** A service key has a `user` record, and no account. */
function isServer(email: string): boolean {
  return email.endsWith('@service.invalid');
}
