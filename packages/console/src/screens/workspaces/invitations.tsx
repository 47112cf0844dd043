import { Alert, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { HiddenValues } from '../../components/org/hidden-values.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { When } from '../../components/when.tsx';
import classes from '../policies/policies.module.css';
import { Invite } from './invite.tsx';
import { type Invitation, invitationsQuery, type Sent, type Workspace } from './queries.ts';

/** The open invitations of a workspace. */
export function Invitations({ workspace }: { readonly workspace: Workspace }) {
  const { env } = usePlace();
  const place = { env, workspace: workspace.code };
  const invitations = useQuery(invitationsQuery(place));
  const [sent, setSent] = useState<Sent>();
  const noteSent = async (issued: Sent): Promise<void> => {
    setSent(issued);
    await queryClient.invalidateQueries({ queryKey: invitationsQuery(place).queryKey });
  };
  const invite = <Invite workspace={workspace} onSent={noteSent} />;
  return (
    <Stack>
      <HiddenValues what="to whom invitations were sent" />
      {sent !== undefined && <SentNote sent={sent} onClose={() => setSent(undefined)} />}
      <Loaded query={invitations}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No open invitations" action={invite}>
              An invitation lets the owner of an email address into the workspace, with a policy that you choose.
            </EmptyState>
          ) : (
            <>
              <div>{invite}</div>
              <InvitationTable code={workspace.code} items={items} onSent={noteSent} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function SentNote({ sent, onClose }: { readonly sent: Sent; readonly onClose: () => void }) {
  const isLink = sent.url.startsWith('https:') || sent.url.startsWith('http:');
  return (
    <Alert
      color="teal"
      role="status"
      title={`${sent.email} is invited`}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      <Stack gap={6}>
        <Text size="sm">
          The invitation is mailed where mail is set up. Pass the {isLink ? 'link' : 'code'} on yourself where it is
          not: it is shown this once, and is good for seven days.
        </Text>
        <CopyId value={isLink ? sent.url : sent.code} what={isLink ? 'link' : 'code'} />
      </Stack>
    </Alert>
  );
}

interface TableProps {
  readonly code: string;
  readonly items: readonly Invitation[];
  readonly onSent: (sent: Sent) => Promise<void>;
}

function InvitationTable({ code, items, onSent }: TableProps) {
  const { env, adminReason } = usePlace();
  const resend = useMutation({
    mutationFn: async ({ id, email }: Invitation) => {
      const params = { tenant_code: code, id };
      return { ...(await call('resendWorkspaceInvitation', { params, body: { env } })), email };
    },
    onSuccess: onSent,
  });
  const withdraw = useMutation({
    mutationFn: ({ id }: Invitation) =>
      call('withdrawWorkspaceInvitation', { params: { tenant_code: code, id }, query: { env } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: invitationsQuery({ env, workspace: code }).queryKey }),
  });
  return (
    <>
      <ProblemAlert error={resend.error ?? withdraw.error} />
      <Paper withBorder className={classes.scroll}>
        <Table aria-label="Invitations" miw={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Email</Table.Th>
              <Table.Th>Sent by</Table.Th>
              <Table.Th>Expires</Table.Th>
              <Table.Th>Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((invitation) => {
              const { id, email, role, is_by_builder, expires_at } = invitation;
              return (
                <Table.Tr key={id}>
                  <Table.Td>
                    {email}
                    {role !== undefined && (
                      <Text size="xs" c="dimmed">
                        {role}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{is_by_builder ? 'an admin of the org' : 'a member'}</Table.Td>
                  <Table.Td>
                    <When at={expires_at} />
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs" wrap="nowrap">
                      <ReasonedButton
                        reason={adminReason}
                        size="compact-sm"
                        variant="default"
                        aria-label={`Resend the invitation of ${email}`}
                        loading={resend.isPending && resend.variables.id === id}
                        onClick={() => resend.mutate(invitation)}
                      >
                        Resend
                      </ReasonedButton>
                      <ReasonedButton
                        reason={adminReason}
                        size="compact-sm"
                        variant="subtle"
                        color="red"
                        aria-label={`Withdraw the invitation of ${email}`}
                        loading={withdraw.isPending && withdraw.variables.id === id}
                        onClick={() => withdraw.mutate(invitation)}
                      >
                        Withdraw
                      </ReasonedButton>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Paper>
    </>
  );
}
