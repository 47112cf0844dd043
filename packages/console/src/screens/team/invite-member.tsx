import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { teamQuery } from '../../api/team.ts';
import { ShownOnce } from '../../components/org/shown-once.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import type { Role } from './roles.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Invites a person, and shows the link this once. */
export function InviteMember({ isOpen, onClose }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Invite a builder" closeOnClickOutside={false}>
      {isOpen && <Invitation onClose={onClose} />}
    </Modal>
  );
}

function Invitation({ onClose }: Pick<Props, 'onClose'>) {
  const [typed, setTyped] = useState<{ readonly email: string; readonly role: Role }>({ email: '', role: 'developer' });
  const invite = useMutation({
    mutationFn: () => call('inviteOrgUser', { body: typed }),
    onSuccess: () => queryClient.invalidateQueries(teamQuery),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  const { error, data } = invite;
  if (data !== undefined)
    return (
      <ShownOnce value={data.url} what="link" onDone={onClose}>
        Send it to {data.email}. It is valid once, for seven days. The platform mails it too, if mail is set up.
      </ShownOnce>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          type="email"
          label="Email"
          required
          data-autofocus
          value={typed.email}
          error={error instanceof ApiProblem ? error.errorAt('/email') : undefined}
          onChange={({ currentTarget: { value } }) => setTyped({ ...typed, email: value })}
        />
        <Radio.Group
          label="Role"
          value={typed.role}
          onChange={(value) => setTyped({ ...typed, role: value === 'org_admin' ? 'org_admin' : 'developer' })}
        >
          <Stack gap="xs" mt={4}>
            <Radio
              value="developer"
              label="Developer"
              description="Changes test, publishes to production, and reads what apps do."
            />
            <Radio
              value="org_admin"
              label="Org admin"
              description="Also activates in production, and manages the team, keys, secrets and the audit log."
            />
          </Stack>
        </Radio.Group>
        <ProblemAlert error={error} shownAtFields={['/email']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
