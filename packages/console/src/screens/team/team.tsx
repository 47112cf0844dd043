import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { type TeamMember, teamQuery } from '../../api/team.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { AdminsOnly } from '../../components/org/admins-only.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { RequireSetting } from '../account/second-factor/require-setting.tsx';
import { InviteMember } from './invite-member.tsx';
import { InvitationTable, MemberTable } from './team-tables.tsx';

/** The builders of the org, and the persons who are invited. */
export function Team() {
  const { adminReason } = usePlace();
  const [isInviting, setIsInviting] = useState(false);
  return (
    <Screen
      title="Team"
      intro="The builders of the org. They sign in to this console. Users of the app are not among them."
      actions={
        <ReasonedButton reason={adminReason} onClick={() => setIsInviting(true)}>
          Invite a builder
        </ReasonedButton>
      }
    >
      <AdminsOnly what="the members of the org">
        <Members />
      </AdminsOnly>
      <InviteMember isOpen={isInviting} onClose={() => setIsInviting(false)} />
    </Screen>
  );
}

function Members() {
  const team = useQuery(teamQuery);
  return (
    <Loaded query={team}>
      {({ items }) => {
        const [members, invitations] = [items.filter(isMember), items.filter((one) => !isMember(one))];
        return (
          <Stack gap="xl">
            <MemberTable members={members} />
            <Stack gap="sm" component="section" aria-label="Second factors">
              <Title order={2}>Second factors</Title>
              <RequireSetting />
            </Stack>
            <Stack gap="sm" component="section" aria-label="Open invitations">
              <Title order={2}>Open invitations</Title>
              {invitations.length === 0 ? (
                <EmptyState title="No open invitations">
                  Invite a builder by email. The link is valid once, for seven days.
                </EmptyState>
              ) : (
                <InvitationTable invitations={invitations} />
              )}
            </Stack>
          </Stack>
        );
      }}
    </Loaded>
  );
}

function isMember({ status }: TeamMember): boolean {
  return status === 'active';
}
