import { Badge, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { When } from '../../components/when.tsx';

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call('listSessions', { signal }),
});

type Session = Awaited<ReturnType<NonNullable<typeof sessionsQuery.queryFn>>>['items'][number];

/** Where the builder is signed in. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const [isConfirming, setIsConfirming] = useState(false);
  const end = useMutation({
    mutationFn: (id: string) => call('endSession', { params: { id } }),
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  });
  const others = sessions.data?.items.filter(({ current }) => !current).length ?? 0;
  return (
    <Paper withBorder p="md" component="section" aria-label="Sessions">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>Sessions</Title>
          {others > 0 && (
            <Button variant="default" onClick={() => setIsConfirming(true)}>
              End all others
            </Button>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          Where you are signed in, in all orgs. A session ends after 12 hours by itself.
        </Text>
        <ProblemAlert error={end.error} />
        <Loaded query={sessions}>{({ items }) => <SessionTable items={items.toReversed()} end={end} />}</Loaded>
      </Stack>
      {isConfirming && <EndOthers others={others} onClose={() => setIsConfirming(false)} />}
    </Paper>
  );
}

interface TableProps {
  readonly items: readonly Session[];
  readonly end: {
    readonly mutate: (id: string) => void;
    readonly isPending: boolean;
    readonly variables?: string | undefined;
  };
}

function SessionTable({ items, end: { mutate, isPending, variables } }: TableProps) {
  return (
    <Table.ScrollContainer type="native" minWidth={620}>
      <Table aria-label="Sessions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>With</Table.Th>
            <Table.Th>Org</Table.Th>
            <Table.Th>Signed in</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(({ id, org, created_at, expires_at, current, client, last_used_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Group gap="xs">
                  {wordsOf(client)}
                  {current && (
                    <Badge variant="dot" color="teal" tt="none">
                      this session
                    </Badge>
                  )}
                </Group>
              </Table.Td>
              <Table.Td>{org}</Table.Td>
              <Table.Td>
                <When at={created_at} />
              </Table.Td>
              <Table.Td>
                {current ? 'now' : last_used_at === undefined ? 'not known' : <When at={last_used_at} />}
              </Table.Td>
              <Table.Td>
                <When at={expires_at} />
              </Table.Td>
              <Table.Td ta="right">
                {!current && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`End the session of ${wordsOf(client)} in ${org}`}
                    loading={isPending && variables === id}
                    onClick={() => mutate(id)}
                  >
                    End
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function wordsOf(client: string | undefined): string {
  return client === undefined ? 'Not known' : client.charAt(0).toUpperCase() + client.slice(1);
}

interface EndOthersProps {
  readonly others: number;
  readonly onClose: () => void;
}

function EndOthers({ others, onClose }: EndOthersProps) {
  const end = useMutation({
    mutationFn: () => call('endOtherSessions'),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(sessionsQuery);
    },
  });
  return (
    <Dialog onClose={onClose} title="End all other sessions">
      <Stack>
        <Text size="sm">
          {others === 1 ? 'One other session ends' : `${others} other sessions end`} at once, in all orgs, the command
          line included. You stay signed in here.
        </Text>
        <ProblemAlert error={end.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={end.isPending} onClick={() => end.mutate()}>
            End them
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
