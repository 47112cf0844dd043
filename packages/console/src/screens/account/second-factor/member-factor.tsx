import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { type TeamMember, teamQuery } from '../../../api/team.ts';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';

interface Props {
  readonly member: TeamMember;
  readonly isOwn: boolean;
}

/** Whether a member has a second factor, and the way out for one who has lost it. */
export function MemberFactor({ member, isOwn }: Props) {
  const [isResetting, setIsResetting] = useState(false);
  if (member.has_second_factor !== true)
    return (
      <Text size="sm" c="dimmed">
        none
      </Text>
    );
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm">yes</Text>
      {!isOwn && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Reset the second factors of ${member.email}`}
          onClick={() => setIsResetting(true)}
        >
          Reset
        </Button>
      )}
      {isResetting && <ResetFactors member={member} onClose={() => setIsResetting(false)} />}
    </Group>
  );
}

function ResetFactors({
  member: { id, email, name },
  onClose,
}: Pick<Props, 'member'> & { readonly onClose: () => void }) {
  const reset = useMutation({
    mutationFn: () => call('resetSecondFactors', { params: { id } }),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(teamQuery);
    },
  });
  return (
    <TypedConfirmation
      title={`Reset the second factors of ${name ?? email}`}
      name={email}
      what="member"
      action="Reset the factors"
      work={{ ...reset, mutate: () => reset.mutate() }}
      onClose={onClose}
    >
      <Text size="sm">
        This removes the authenticator app, all passkeys and the recovery codes of {name ?? email}, and ends every
        session of the account. The password alone then signs in. Do this only if you know that it was {name ?? email}{' '}
        who asked. It is written to the audit log and mailed.
      </Text>
    </TypedConfirmation>
  );
}
