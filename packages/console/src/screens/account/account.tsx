import { Button, Divider, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { meQuery } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import { ChangePassword } from './change-password.tsx';
import { RequireSetting } from './second-factor/require-setting.tsx';
import { SecondFactorSection } from './second-factor/second-factor-section.tsx';

const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: () => call('listSessions') });

/** The user's own account: the password, and where it is signed in. */
export function Account() {
  const { data: me } = useQuery(meQuery);
  return (
    <Screen title="Your account" intro={me === undefined ? undefined : `${me.user.name}, ${me.user.email}`}>
      <Paper withBorder p="md" maw="34rem">
        <Title order={2} mb="sm">
          Password
        </Title>
        <ChangePassword />
      </Paper>
      <Paper withBorder p="md" maw="46rem">
        <Title order={2} mb="sm">
          Second factors
        </Title>
        <SecondFactorSection />
        {me?.role === 'org_admin' && (
          <>
            <Divider my="md" />
            <RequireSetting />
          </>
        )}
      </Paper>
      <Paper withBorder p="md">
        <Title order={2} mb="sm">
          Sessions
        </Title>
        <Sessions />
      </Paper>
    </Screen>
  );
}

function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (id: string) => call('endSession', { params: { id } }),
    onSuccess: () => queryClient.invalidateQueries(sessionsQuery),
  });
  return (
    <Stack gap="sm">
      <ProblemAlert error={error} />
      <Loaded query={sessions}>
        {({ items }) => (
          <Table.ScrollContainer type="native" minWidth={420}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Org</Table.Th>
                  <Table.Th>Signed in</Table.Th>
                  <Table.Th>Ends</Table.Th>
                  <Table.Th />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map(({ id, org, created_at, expires_at, current }) => (
                  <Table.Tr key={id}>
                    <Table.Td>{org}</Table.Td>
                    <Table.Td>
                      <When at={created_at} />
                    </Table.Td>
                    <Table.Td>
                      <When at={expires_at} />
                    </Table.Td>
                    <Table.Td ta="right">
                      {current ? (
                        <Text size="sm" c="dimmed">
                          this session
                        </Text>
                      ) : (
                        <Button
                          size="compact-sm"
                          variant="default"
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
        )}
      </Loaded>
    </Stack>
  );
}
