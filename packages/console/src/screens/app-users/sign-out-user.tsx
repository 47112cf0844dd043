import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { AppUserDetails } from './queries.ts';
import { useControl } from './use-control.ts';

/** Ends every token of the user, who may sign in again. */
export function SignOutUser({ user: { id, email } }: { readonly user: AppUserDetails }) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const { revokeTokens } = useControl(id, close);
  return (
    <>
      <ReasonedButton reason={adminReason} variant="default" onClick={() => setIsOpen(true)}>
        Sign out everywhere
      </ReasonedButton>
      <Modal opened={isOpen} onClose={close} title={`Sign ${email} out everywhere?`} keepMounted={false}>
        <Stack>
          <Text size="sm">
            Every token of the user ends at once, on all devices. The user can sign in again right away.
          </Text>
          <ProblemAlert error={revokeTokens.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={revokeTokens.isPending} onClick={() => revokeTokens.mutate()}>
              Sign out everywhere
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
