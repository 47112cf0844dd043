import { Anchor, Badge, Button, List, Paper, Skeleton, Stack, Table, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Sentence } from '../../../components/sentence.tsx';
import { type Application, type Applied, appliedQuery } from './queries.ts';
import classes from './templates.module.css';

export function AppliedWorkspaces({ application }: { readonly application: Application }) {
  const { env } = usePlace();
  const applied = useInfiniteQuery({ ...appliedQuery(env, application), placeholderData: keepPreviousData });
  const rows = applied.data?.pages.flatMap(({ items }) => items);
  if (rows === undefined) return applied.isError ? <ProblemAlert error={applied.error} /> : <Skeleton height={240} />;
  return (
    <Stack>
      <Paper withBorder className={classes.scroll}>
        <Table aria-label="Workspaces that change">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Workspace</Table.Th>
              <Table.Th>What changes</Table.Th>
              <Table.Th>Members may do more</Table.Th>
              <Table.Th>State</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <AppliedRow key={row.code} row={row} replacesLocal={application.replace_local} />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {applied.hasNextPage && (
        <Button variant="default" loading={applied.isFetchingNextPage} onClick={() => void applied.fetchNextPage()}>
          Show more workspaces
        </Button>
      )}
    </Stack>
  );
}

const steps = { none: '', create: 'is made', replace: 'is replaced', keep: 'stays as the workspace has it' } as const;
const states = { previewed: 'waits', done: 'done', failed: 'left as it is' } as const;
const colors = { previewed: 'gray', done: 'teal', failed: 'red' } as const;

interface RowProps {
  readonly row: Applied;
  readonly replacesLocal: boolean;
}

function AppliedRow({ row: { code, state, items, widens, error }, replacesLocal }: RowProps) {
  const { org, env } = usePlace();
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          component={Link}
          to={`/o/${org}/${env}/settings/templates/workspaces/${code}`}
          search={(replacesLocal ? { replace: 'local' } : {}) as never}
          fw={500}
        >
          {code}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <List size="sm">
          {items.map(({ kind, name, step }) => (
            <List.Item key={`${kind} ${name}`}>
              {kind === 'policy' ? 'Policy' : 'Group'} {name} {steps[step]}
            </List.Item>
          ))}
        </List>
      </Table.Td>
      <Table.Td>
        {widens.length === 0 ? (
          <Text size="sm" c="dimmed">
            no
          </Text>
        ) : (
          <List size="sm">
            {widens.map((sentence) => (
              <List.Item key={sentence}>
                <Sentence text={sentence} />
              </List.Item>
            ))}
          </List>
        )}
      </Table.Td>
      <Table.Td>
        <Badge variant="dot" color={colors[state]} tt="none">
          {states[state]}
        </Badge>
        {error !== null && (
          <Text size="sm">
            <Sentence text={error} />
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
