import { Button, Group, List, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { type Me, meQuery } from '../../../api/session.ts';
import { type TeamMember, teamQuery } from '../../../api/team.ts';
import { Dialog } from '../../../components/dialog/dialog.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';

/** Whether every member of the org needs a second factor. Admins of the org change it, and see first whom it stops. */
export function RequireSetting() {
  const me = useQuery(meQuery);
  const [isConfirming, setIsConfirming] = useState(false);
  const change = useMutation({
    mutationFn: (isRequired: boolean) =>
      call('changeOrgSecurity', { body: { second_factor: isRequired ? 'required' : 'optional' } }),
    onSuccess: async () => {
      setIsConfirming(false);
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
    },
  });
  const { mutate, isPending, variables, error } = change;
  return (
    <Loaded query={me}>
      {(known) => {
        const reason = reasonOf(known);
        return (
          <Stack gap="xs">
            <Switch
              label={`Require a second factor of every member of ${known.org.name}`}
              description="A member without one can then only add one, also in sessions that go on. Keys of pipelines and servers are not affected."
              checked={isPending ? variables : known.second_factor.required}
              disabled={reason !== undefined || isPending}
              onChange={({ currentTarget }) => (currentTarget.checked ? setIsConfirming(true) : mutate(false))}
            />
            {reason !== undefined && (
              <Text size="sm" c="dimmed">
                {reason}
              </Text>
            )}
            {!isConfirming && <ProblemAlert error={error} />}
            {isConfirming && (
              <Dialog
                onClose={() => setIsConfirming(false)}
                title={`Require a second factor of every member of ${known.org.name}?`}
              >
                <Stack>
                  <WhoIsStopped />
                  <ProblemAlert error={error} />
                  <Group justify="flex-end">
                    <Button variant="default" onClick={() => setIsConfirming(false)}>
                      Cancel
                    </Button>
                    <Button loading={isPending} onClick={() => mutate(true)}>
                      Require it
                    </Button>
                  </Group>
                </Stack>
              </Dialog>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

const namesShown = 20;

function WhoIsStopped() {
  const team = useQuery(teamQuery);
  return (
    <Loaded query={team}>
      {({ items }) => {
        const without = items.filter(hasNone);
        if (without.length === 0)
          return <Text size="sm">All members have a second factor. Members who join later are asked to add one.</Text>;
        return (
          <Stack gap="xs">
            <Text size="sm">
              {without.length === 1 ? 'This member has' : `These ${without.length} members have`} no second factor, and
              can do nothing in the org from now on but add one:
            </Text>
            <List size="sm" aria-label="Members without a second factor">
              {without.slice(0, namesShown).map(({ id, email, name }) => (
                <List.Item key={id}>{name === undefined ? email : `${name}, ${email}`}</List.Item>
              ))}
            </List>
            {without.length > namesShown && <Text size="sm">And {without.length - namesShown} more.</Text>}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function hasNone({ status, has_second_factor }: TeamMember): boolean {
  return status === 'active' && has_second_factor !== true;
}

/** Why the setting cannot be changed. */
function reasonOf({ role, second_factor: { required, enrolled } }: Me): string | undefined {
  if (role !== 'org_admin') return 'Only an admin of the org may change this.';
  if (required || enrolled) return undefined;
  return 'Add a second factor to your own account first: without one you could do nothing here.';
}
