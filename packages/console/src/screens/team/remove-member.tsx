import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { type TeamMember, teamQuery } from '../../api/team.ts';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';

interface Props {
  readonly member: TeamMember;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** Asks before a builder leaves the org. The account and other orgs of the person stay. */
export function RemoveMember({ member: { id, email, name }, isOwn, onClose }: Props) {
  const { org } = usePlace();
  const remove = useMutation({
    mutationFn: () => call('removeOrgUser', { params: { id } }),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(teamQuery);
    },
  });
  return (
    <TypedConfirmation
      title={`Remove ${name ?? email} from the org`}
      name={email}
      what="member"
      action="Remove the member"
      work={{ ...remove, mutate: () => remove.mutate() }}
      onClose={onClose}
    >
      <Text size="sm">
        {isOwn ? 'You leave' : `${name ?? email} leaves`} the org {org} at once: every session in it ends. What{' '}
        {isOwn ? 'you have' : 'this builder has'} made stays, keys included. The last org admin cannot be removed.
      </Text>
    </TypedConfirmation>
  );
}
