import { Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { ReasonForm } from '../../components/reason-form.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { AppUserDetails } from './queries.ts';
import { useControl } from './use-control.ts';

interface Props {
  readonly user: AppUserDetails;
}

/** Bars the account until it is enabled again. */
export function DisableUser({ user: { id, email } }: Props) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const { disable } = useControl(id, () => setIsOpen(false));
  return (
    <>
      <ReasonedButton reason={adminReason} variant="default" color="red" onClick={() => setIsOpen(true)}>
        Disable
      </ReasonedButton>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={`Disable ${email}?`} keepMounted={false}>
        <ReasonForm
          action="Disable the account"
          isDangerous
          work={disable}
          onSend={disable.mutate}
          onClose={() => setIsOpen(false)}
        >
          <Text size="sm">
            The user is signed out everywhere at once, and can neither sign in nor get a token. Memberships, policies
            and records stay. An admin of the org can enable the account again.
          </Text>
        </ReasonForm>
      </Modal>
    </>
  );
}

/** Lets the user sign in again. */
export function EnableUser({ user: { id, email } }: Props) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const { enable } = useControl(id, () => setIsOpen(false));
  return (
    <>
      <ReasonedButton reason={adminReason} onClick={() => setIsOpen(true)}>
        Enable
      </ReasonedButton>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={`Enable ${email}?`} keepMounted={false}>
        <ReasonForm
          action="Enable the account"
          isOptional
          work={enable}
          onSend={enable.mutate}
          onClose={() => setIsOpen(false)}
        >
          <Text size="sm">
            The user can sign in again, with the memberships and policies of before. Tokens from before stay invalid.
          </Text>
        </ReasonForm>
      </Modal>
    </>
  );
}
