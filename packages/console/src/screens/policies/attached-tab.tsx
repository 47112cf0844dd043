import { Anchor, Button, List, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { callApp } from '../../api/app.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { AddMember } from '../groups/add-member.tsx';
import { HolderTable } from './held-by.tsx';
import { accessKey, countOf, type Policy } from './queries.ts';
import { useBuilder, useReadOnlyReason } from './use-builder.ts';

interface Props {
  readonly policy: Policy;
  readonly workspace: string;
}

/** The members and groups that hold a policy. */
export function AttachedTab({ policy, workspace }: Props) {
  const readOnlyReason = useReadOnlyReason();
  const { give, take } = useLinks('useraclpolicy', { acl_policy_id: policy.id });
  return (
    <Stack gap="lg">
      <HoldingGroups policy={policy} />
      <Stack gap="xs" component="section" aria-label="Members">
        <Title order={2}>Members who hold it directly</Title>
        <AddMember
          workspace={workspace}
          label="Give the policy to a member"
          reason={readOnlyReason}
          isAdding={give.isPending}
          onAdd={(user) => give.mutateAsync(user)}
        />
        <ProblemAlert error={give.error ?? take.error} />
        <HolderTable
          workspace={workspace}
          of={{ policy_id: policy.id }}
          label="Members who hold the policy"
          empty="No member holds it directly."
          action={({ link_id, email }) => (
            <ReasonedButton
              reason={readOnlyReason}
              variant="subtle"
              color="red"
              size="compact-sm"
              aria-label={`Take away from ${email}`}
              loading={take.isPending && take.variables === link_id}
              onClick={() => take.mutate(link_id)}
            >
              Take away
            </ReasonedButton>
          )}
        />
      </Stack>
    </Stack>
  );
}

function HoldingGroups({ policy }: { readonly policy: Policy }) {
  const { org, env } = usePlace();
  const { held_by, groups } = policy;
  return (
    <Stack gap="xs" component="section" aria-label="Groups">
      <Title order={2}>Groups that hold it</Title>
      {groups === 0 ? (
        <Text size="sm" c="dimmed">
          No group holds it.
        </Text>
      ) : (
        <List size="sm">
          {held_by.map(({ id, name }) => (
            <List.Item key={id}>
              <Anchor component={Link} to={`/o/${org}/${env}/groups/${id}`}>
                {name}
              </Anchor>
            </List.Item>
          ))}
        </List>
      )}
      {groups > held_by.length && (
        <Text size="sm" c="dimmed">
          These are the first {held_by.length} of {countOf(groups)}.
        </Text>
      )}
      <Button component={Link} to={`/o/${org}/${env}/groups`} variant="default" size="compact-sm" w="fit-content">
        All groups
      </Button>
    </Stack>
  );
}

/** Makes and removes the records that tie members to a policy or group. */
export function useLinks(
  entity: 'useraclpolicy' | 'usergroup',
  to: { readonly acl_policy_id: string } | { readonly group_id: string },
) {
  const actor = useBuilder();
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: [accessKey] });
  const give = useMutation({
    mutationFn: async (user_id: string) => {
      if (actor !== undefined) await callApp(actor, 'POST', `/create/${entity}`, { body: { user_id, ...to } });
    },
    onSuccess,
  });
  const take = useMutation({
    mutationFn: async (link: string) => {
      if (actor !== undefined) await callApp(actor, 'DELETE', `/delete/${entity}/${link}`);
    },
    onSuccess,
  });
  return { give, take };
}
