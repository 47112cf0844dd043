import { Badge, Button, Paper, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import classes from './policies.module.css';
import { type Holder, holdersQuery } from './queries.ts';

interface Props {
  readonly workspace: string;
  readonly of: { readonly policy_id: string } | { readonly group_id: string };
  readonly label: string;
  /** Shown if there are none. */
  readonly empty: ReactNode;
  /** What may be done with one of them. */
  readonly action?: (holder: Holder) => ReactNode;
}

/** The members who hold a policy directly, or are in a group, page by page. */
export function HolderTable({ workspace, of, label, empty, action }: Props) {
  const { env } = usePlace();
  const holders = useInfiniteQuery(holdersQuery({ env, workspace }, of));
  const items = holders.data?.pages.flatMap((page) => page.items) ?? [];
  if (holders.isPending) return <LineSkeletons lines={3} />;
  return (
    <Stack gap="xs">
      <ProblemAlert error={holders.error} />
      {holders.isSuccess && items.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      {items.length > 0 && (
        <Paper withBorder className={classes.scroll}>
          <Table aria-label={label}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Email</Table.Th>
                <Table.Th>Name</Table.Th>
                <Table.Th>Status</Table.Th>
                {action !== undefined && <Table.Th aria-label="Actions" />}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((holder) => (
                <Table.Tr key={holder.link_id}>
                  <Table.Td>{holder.email}</Table.Td>
                  <Table.Td>{holder.name}</Table.Td>
                  <Table.Td>
                    <Badge variant="dot" color={holder.status === 'active' ? 'teal' : 'gray'}>
                      {holder.status}
                    </Badge>
                  </Table.Td>
                  {action !== undefined && <Table.Td className={classes.number}>{action(holder)}</Table.Td>}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
      {holders.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={holders.isFetchingNextPage}
          onClick={() => void holders.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Stack>
  );
}
