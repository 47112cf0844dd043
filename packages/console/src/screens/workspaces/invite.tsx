import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { Sent, Workspace } from './queries.ts';

const typingMilliseconds = 250;

interface Props {
  readonly workspace: Workspace;
  readonly onSent: (sent: Sent) => Promise<void>;
}

/** Invites an email address into the workspace, in the name of the org. */
export function Invite({ workspace, onSent }: Props) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const barred =
    workspace.suspended === null ? undefined : 'The workspace is suspended: resume it to invite people into it.';
  const founding = workspace.state === 'founding' ? 'The workspace is still being founded.' : undefined;
  const reason = adminReason ?? founding ?? barred;
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setIsOpen(true)}>
        Invite
      </ReasonedButton>
      <Modal opened={isOpen} onClose={close} title={`Invite into ${workspace.name}`} keepMounted={false}>
        <InviteForm workspace={workspace} onSent={onSent} close={close} />
      </Modal>
    </>
  );
}

function InviteForm({ workspace, onSent, close }: Props & { readonly close: () => void }) {
  const { env } = usePlace();
  const { code, default_member_access } = workspace;
  const [email, setEmail] = useState('');
  const [policy, setPolicy] = useState<string>();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), typingMilliseconds);
  const policies = useQuery({
    queryKey: ['workspace invitations', env, code, 'policies', q],
    queryFn: ({ signal }) =>
      call('listWorkspacePolicies', { query: { env, tenant_code: code, q, pagesize: 50 }, signal }),
    placeholderData: keepPreviousData,
  });
  const invite = useMutation({
    mutationFn: async () => {
      const body = { env, email: email.trim(), ...(policy === undefined ? {} : { acl_policy_id: policy }) };
      return { ...(await call('inviteToWorkspace', { params: { tenant_code: code }, body })), email: body.email };
    },
    onSuccess: async (sent) => {
      close();
      await onSent(sent);
    },
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate();
  };
  const problem = invite.error instanceof ApiProblem ? invite.error : undefined;
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label="Email"
          type="email"
          required
          value={email}
          error={problem?.errorAt('/email')}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget: { value } }) => setEmail(value)}
        />
        <Select
          label="Policy"
          description="What the member may do. More can be granted later."
          placeholder={`That of new members: ${default_member_access ?? 'none'}`}
          data={policies.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={policy ?? null}
          searchable
          clearable
          searchValue={typed}
          onSearchChange={setTyped}
          nothingFoundMessage={policies.isPending ? 'Reading the policies…' : 'No policy has this name'}
          error={problem?.errorAt('/acl_policy_id')}
          onChange={(id) => setPolicy(id ?? undefined)}
        />
        <ProblemAlert error={invite.error ?? policies.error} shownAtFields={['/email', '/acl_policy_id']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ReasonedButton
            type="submit"
            reason={email.trim() === '' ? 'Say whom to invite.' : undefined}
            loading={invite.isPending}
          >
            Send the invitation
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}
