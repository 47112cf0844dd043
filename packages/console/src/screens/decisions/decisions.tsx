import { Anchor, Button, Group, Paper, Table, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { HiddenValues } from '../../components/org/hidden-values.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import classes from './decisions.module.css';
import { Denial } from './denial.tsx';
import { type Decision, denialsMax, denialsQuery } from './queries.ts';
import { UserLink } from './user-link.tsx';

const pageSize = 50;

/** The last calls that the policies denied, and each of them explained. */
export function Decisions() {
  const { env, workspace } = usePlace();
  const { id, user, all } = useSearch({ from: '/o/$org/$env/decisions' });
  const navigate = useNavigate();
  const show = (change: Readonly<Record<string, unknown>>) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...change }) as never });
  const size = all === true ? denialsMax : pageSize;
  const denials = useQuery({ ...denialsQuery({ env, workspace, user }, size), placeholderData: keepPreviousData });
  return (
    <Screen
      title="Denials"
      intro="The last calls that no policy allowed, or that a policy denied. Each node remembers the last 200 of the org."
      actions={
        <Button variant="default" loading={denials.isFetching} onClick={() => void denials.refetch()}>
          Refresh
        </Button>
      }
    >
      <Find onFind={(found) => show({ id: found })} />
      <HiddenValues what="whose calls were denied, and why" />
      {user !== undefined && (
        <Group gap="xs">
          <Text size="sm">Denials of one user alone.</Text>
          <Button size="compact-sm" variant="default" onClick={() => show({ user: undefined })}>
            Show all users
          </Button>
        </Group>
      )}
      <Loaded query={denials}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title="No denials">
              A call that no policy allows is shown here with the reason. Its reply has a decision id, which can be
              looked up above.
            </EmptyState>
          ) : (
            <DenialTable items={items} />
          )
        }
      </Loaded>
      {all !== true && denials.data?.length === pageSize && (
        <Group>
          <Button variant="default" onClick={() => show({ all: true })}>
            Show more
          </Button>
        </Group>
      )}
      <Denial id={id} onClose={() => show({ id: undefined })} />
    </Screen>
  );
}

/** Looks a denial up by what its caller was answered. */
function Find({ onFind }: { readonly onFind: (id: string) => void }) {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') onFind(typed.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Explain a denial"
          placeholder="Decision id or request id"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          className={classes.find ?? ''}
        />
        <Button type="submit" variant="default">
          Explain
        </Button>
      </Group>
    </form>
  );
}

const reasons: Readonly<Partial<Record<NonNullable<Decision['decision']>, string>>> = {
  explicit_deny: 'denied',
  implicit_deny: 'not granted',
};

function reasonOf({ decision }: Decision): string {
  return decision === undefined ? 'for org admins' : (reasons[decision] ?? decision);
}

function DenialTable({ items }: { readonly items: readonly Decision[] }) {
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Denials" miw={720}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>Call</Table.Th>
            <Table.Th>User</Table.Th>
            <Table.Th>Workspace</Table.Th>
            <Table.Th>Why</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((denial) => (
            <Table.Tr key={denial.decision_id}>
              <Table.Td>
                <When at={denial.at} />
              </Table.Td>
              <Table.Td className={classes.path}>
                <Anchor
                  component={Link}
                  to="."
                  search={((kept: object) => ({ ...kept, id: denial.decision_id })) as never}
                  size="sm"
                  fw={500}
                >
                  {denial.action}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {denial.resource}
                </Text>
              </Table.Td>
              <Table.Td>
                <UserLink decision={denial} />
              </Table.Td>
              <Table.Td>{denial.tenant_code}</Table.Td>
              <Table.Td>{reasonOf(denial)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
