import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { type AppUserDetails, readAppUsersAgain } from './queries.ts';

/** The password of the account is suspended: an org admin who knows whose it is decides. */
export function SuspendedPassword({ user }: { readonly user: AppUserDetails }) {
  const { org, env } = usePlace();
  if (user.proved_by === null) return null;
  return (
    <Alert color="orange" role="note" title="The password is suspended">
      <Stack gap="xs">
        <Text size="sm">
          <Anchor component={Link} to={`/o/${org}/${env}/app-users/${user.proved_by}`} size="sm" underline="always">
            Another account
          </Anchor>{' '}
          has verified {user.email}, which this account never did. The owner of the address makes both accounts one by
          the mailed link. If you know that both are the same person, merge them; if not, remove this account.
        </Text>
        <Group gap="xs">
          <Merge user={user} />
          <Remove user={user} />
        </Group>
      </Stack>
    </Alert>
  );
}

function Merge({ user: { id, email } }: { readonly user: AppUserDetails }) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const merge = useMutation({
    mutationFn: () => call('mergeSuspendedAccount', { params: { id } }),
    onSuccess: async () => {
      setIsOpen(false);
      await readAppUsersAgain();
    },
  });
  const close = () => {
    setIsOpen(false);
    merge.reset();
  };
  return (
    <>
      <ReasonedButton reason={adminReason} size="compact-sm" onClick={() => setIsOpen(true)}>
        Merge both accounts
      </ReasonedButton>
      {isOpen && (
        <TypedConfirmation
          title={`Merge both accounts of ${email}?`}
          name={email}
          what="account"
          action="Merge both accounts"
          work={merge}
          onClose={close}
        >
          <Text size="sm">
            Sign-ins to either account then lead to this one, with the memberships of both. The old password stays
            invalid. This cannot be undone.
          </Text>
        </TypedConfirmation>
      )}
    </>
  );
}

function Remove({ user: { id, email } }: { readonly user: AppUserDetails }) {
  const { org, env, adminReason } = usePlace();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => call('removeSuspendedAccount', { params: { id } }),
    onSuccess: async () => {
      await navigate({ to: '/o/$org/$env/app-users', params: { org, env } });
      await readAppUsersAgain();
    },
  });
  const close = () => {
    setIsOpen(false);
    remove.reset();
  };
  return (
    <>
      <ReasonedButton
        reason={adminReason}
        size="compact-sm"
        variant="default"
        color="red"
        onClick={() => setIsOpen(true)}
      >
        Remove this account
      </ReasonedButton>
      {isOpen && (
        <TypedConfirmation
          title={`Remove the account with the suspended password of ${email}?`}
          name={email}
          what="account"
          action="Remove the account"
          work={remove}
          onClose={close}
        >
          <Text size="sm">
            The account is removed with its memberships and what they grant. Records that it has written stay. The other
            account with this address stays as it is.
          </Text>
        </TypedConfirmation>
      )}
    </>
  );
}
