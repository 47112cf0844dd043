import { Button, NativeSelect, Paper, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { meQuery } from '../../api/session.ts';
import { type TeamMember, teamQuery } from '../../api/team.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { When } from '../../components/when.tsx';
import { MemberFactor } from '../account/second-factor/member-factor.tsx';
import { RemoveMember } from './remove-member.tsx';
import { type Role, roles } from './roles.ts';

interface MembersProps {
  readonly members: readonly TeamMember[];
}

export function MemberTable({ members }: MembersProps) {
  const { data: me } = useQuery(meQuery);
  const [removed, setRemoved] = useState<TeamMember>();
  const change = useRoleChange();
  return (
    <Stack gap="sm">
      <ProblemAlert error={change.error} />
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Members" miw={760}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Joined</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th>Second factor</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map((member) => (
              <Table.Tr key={member.id}>
                <Table.Td>
                  <Text size="sm" fw={500}>
                    {member.name}
                    {member.id === me?.user.id && ' (you)'}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {member.email}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <RoleSelect member={member} change={change} />
                </Table.Td>
                <Table.Td>{member.joined_at !== undefined && <When at={member.joined_at} />}</Table.Td>
                <Table.Td>
                  {member.last_seen_at === undefined ? 'not known' : <When at={member.last_seen_at} />}
                </Table.Td>
                <Table.Td>
                  <MemberFactor member={member} isOwn={member.id === me?.user.id} />
                </Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={`Remove ${member.email}`}
                    onClick={() => setRemoved(member)}
                  >
                    Remove
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {removed !== undefined && (
        <RemoveMember member={removed} isOwn={removed.id === me?.user.id} onClose={() => setRemoved(undefined)} />
      )}
    </Stack>
  );
}

export function InvitationTable({ invitations }: { readonly invitations: readonly TeamMember[] }) {
  const change = useRoleChange();
  const withdraw = useMutation({
    mutationFn: (id: string) => call('removeOrgUser', { params: { id } }),
    onSuccess: () => queryClient.invalidateQueries(teamQuery),
  });
  return (
    <Stack gap="sm">
      <ProblemAlert error={change.error ?? withdraw.error} />
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Open invitations" miw={520}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Email</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Expires</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {invitations.map((invitation) => (
              <Table.Tr key={invitation.id}>
                <Table.Td>{invitation.email}</Table.Td>
                <Table.Td>
                  <RoleSelect member={invitation} change={change} />
                </Table.Td>
                <Table.Td>{invitation.expires_at !== undefined && <When at={invitation.expires_at} />}</Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={`Withdraw the invitation of ${invitation.email}`}
                    loading={withdraw.isPending && withdraw.variables === invitation.id}
                    onClick={() => withdraw.mutate(invitation.id)}
                  >
                    Withdraw
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

function useRoleChange() {
  return useMutation({
    mutationFn: ({ id, role }: { readonly id: string; readonly role: Role }) =>
      call('changeOrgUser', { params: { id }, body: { role } }),
    onSettled: async (_data, _error, { id }) => {
      await queryClient.invalidateQueries(teamQuery);
      const me = queryClient.getQueryData(meQuery.queryKey);
      // Who gives up the own role sees at once what is left.
      if (me?.user.id === id) await queryClient.invalidateQueries(meQuery);
    },
  });
}

interface RoleSelectProps {
  readonly member: TeamMember;
  readonly change: ReturnType<typeof useRoleChange>;
}

/** The role as it is, until the platform has changed it. */
function RoleSelect({ member: { id, email, role }, change }: RoleSelectProps) {
  const isChanging = change.isPending && change.variables.id === id;
  return (
    <NativeSelect
      aria-label={`Role of ${email}`}
      size="xs"
      w={140}
      data={[...roles]}
      value={isChanging ? change.variables.role : role}
      disabled={isChanging}
      onChange={({ currentTarget: { value } }) =>
        change.mutate({ id, role: value === 'org_admin' ? 'org_admin' : 'developer' })
      }
    />
  );
}
