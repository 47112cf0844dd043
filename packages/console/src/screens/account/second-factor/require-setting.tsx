import { Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { type Me, meQuery } from '../../../api/session.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';

/** Whether every member of the org needs a second factor. Admins of the org change it. */
export function RequireSetting() {
  const me = useQuery(meQuery);
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: (isRequired: boolean) =>
      call('changeOrgSecurity', { body: { second_factor: isRequired ? 'required' : 'optional' } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
  });
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
              onChange={({ currentTarget }) => mutate(currentTarget.checked)}
            />
            {reason !== undefined && (
              <Text size="sm" c="dimmed">
                {reason}
              </Text>
            )}
            <ProblemAlert error={error} />
          </Stack>
        );
      }}
    </Loaded>
  );
}

/** Why the setting cannot be changed. */
function reasonOf({ role, second_factor: { required, enrolled } }: Me): string | undefined {
  if (role !== 'org_admin') return 'Only an admin of the org may change this.';
  if (required || enrolled) return undefined;
  return 'Add a second factor to your own account first: without one you could do nothing here.';
}
