import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useActor } from '../../api/app.ts';
import { usePlace } from '../../api/session.ts';
import { MemberSelect } from '../../components/member-select.tsx';

/** Chooses the member of the workspace as whom calls are made. It stands in the address. */
export function RunAs() {
  const { env, workspace } = usePlace();
  const actor = useActor();
  const navigate = useNavigate();
  if (workspace === undefined)
    return <Text size="sm">Choose a workspace at the top of the page: a call is made in one of them.</Text>;
  return (
    <MemberSelect
      workspace={workspace}
      label={`As a member of ${workspace}`}
      placeholder={env === 'test' ? 'You, who may do everything in test' : 'Choose a member'}
      member={actor?.user}
      isActiveOnly
      isClearable
      onChange={(u) => void navigate({ to: '.', search: (kept) => ({ ...kept, u }), replace: true })}
    />
  );
}
