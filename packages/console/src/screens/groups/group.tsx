import { Badge, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { useLinks } from '../policies/attached-tab.tsx';
import { HolderTable } from '../policies/held-by.tsx';
import { countOf, type GroupDetails, groupQuery } from '../policies/queries.ts';
import { RemoveAccess } from '../policies/remove-access.tsx';
import { useReadOnlyReason } from '../policies/use-builder.ts';
import { AddMember } from './add-member.tsx';
import { GroupPolicies } from './group-policies.tsx';
import { RenameGroup } from './rename-group.tsx';

/** One group of a workspace: its policies and its members. */
export function GroupScreen() {
  const { workspace } = usePlace();
  const { group: id } = useParams({ from: '/o/$org/$env/groups/$group' });
  if (workspace === undefined)
    return (
      <Screen title="Group">
        <ChooseWorkspace>A group belongs to a workspace.</ChooseWorkspace>
      </Screen>
    );
  return <GroupOf key={`${workspace} ${id}`} workspace={workspace} id={id} />;
}

function GroupOf({ workspace, id }: { readonly workspace: string; readonly id: string }) {
  const { env } = usePlace();
  const group = useQuery(groupQuery({ env, workspace }, id));
  return (
    <Screen
      title={group.data?.name ?? 'Group'}
      intro={group.data && <Facts group={group.data} />}
      actions={
        group.data && (
          <>
            <RenameGroup group={group.data} />
            <RemoveGroup group={group.data} />
          </>
        )
      }
    >
      <Loaded query={group} skeleton={<Skeleton height={320} />}>
        {(data) => (
          <Stack gap="xl">
            <GroupPolicies group={data} workspace={workspace} />
            <Members group={data} workspace={workspace} />
          </Stack>
        )}
      </Loaded>
    </Screen>
  );
}

function Facts({ group: { id, members, is_of_platform } }: { readonly group: GroupDetails }) {
  return (
    <Group gap="xs" component="span">
      <span>
        {countOf(members)} {members === 1 ? 'member' : 'members'}
      </span>
      {is_of_platform && <Badge variant="dot">by the platform</Badge>}
      <CopyId value={id} what="group id" />
    </Group>
  );
}

function RemoveGroup({ group: { id, name, members, policies } }: { readonly group: GroupDetails }) {
  const readOnlyReason = useReadOnlyReason();
  const names = policies.map((policy) => policy.name).join(', ');
  const isFelt = members > 0 && policies.length > 0;
  return (
    <RemoveAccess entity="group" id={id} name={name} what="group" list="groups" reason={readOnlyReason}>
      <Text size="sm">
        {isFelt
          ? `${countOf(members)} ${members === 1 ? 'member loses' : 'members lose'} what the group gives at once: ${names}. They stay members of the workspace, and the policies stay.`
          : 'No member loses anything by it.'}
      </Text>
    </RemoveAccess>
  );
}

function Members({ group, workspace }: { readonly group: GroupDetails; readonly workspace: string }) {
  const readOnlyReason = useReadOnlyReason();
  const { give, take } = useLinks('usergroup', { group_id: group.id });
  return (
    <Stack gap="xs" component="section" aria-label="Members">
      <Title order={2}>Members</Title>
      <AddMember
        workspace={workspace}
        label="Add a member"
        reason={readOnlyReason}
        isAdding={give.isPending}
        onAdd={(user) => give.mutateAsync(user)}
      />
      <ProblemAlert error={give.error ?? take.error} />
      <HolderTable
        workspace={workspace}
        of={{ group_id: group.id }}
        label="Members of the group"
        empty="The group has no members yet."
        action={({ link_id, email }) => (
          <ReasonedButton
            reason={readOnlyReason}
            variant="subtle"
            color="red"
            size="compact-sm"
            aria-label={`Remove ${email} from the group`}
            loading={take.isPending && take.variables === link_id}
            onClick={() => take.mutate(link_id)}
          >
            Remove
          </ReasonedButton>
        )}
      />
    </Stack>
  );
}
