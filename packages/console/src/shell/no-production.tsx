import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { usePlace } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { ReasonedButton } from '../components/reasoned-button.tsx';

/** In place of every screen of production until there is one. */
export function NoProduction() {
  const { adminReason } = usePlace();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('provisionProd'),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <EmptyState
      title="This org has no production yet"
      action={
        <Stack align="center">
          <ReasonedButton reason={adminReason} loading={isPending} onClick={() => mutate()}>
            Provision production
          </ReasonedButton>
          <ProblemAlert error={error} />
        </Stack>
      }
    >
      Production has users, records and a client id of its own. It starts empty; deploys bring it the configuration of
      test.
    </EmptyState>
  );
}
