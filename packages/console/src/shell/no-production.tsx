import { Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { ApiProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { meQuery, usePlace } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { ReasonedButton } from '../components/reasoned-button.tsx';

/** In place of every screen of production until there is one. */
export function NoProduction() {
  const { adminReason } = usePlace();
  const { data: me } = useQuery(meQuery);
  const [typed, setTyped] = useState<string>();
  const founder = typed ?? me?.user.email ?? '';
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('provisionProd', { body: { founder_email: founder.trim() } }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const mistake = error instanceof ApiProblem && error.errors.find(({ pointer }) => pointer === '/founder_email');
  return (
    <EmptyState
      title="This org has no production yet"
      action={
        <Stack align="center">
          <TextInput
            type="email"
            label="Email of the first admin"
            description="The app user who signs in with this address, verified, becomes the admin of production. All others join as members."
            value={founder}
            error={mistake ? mistake.message : undefined}
            disabled={adminReason !== undefined}
            autoComplete="off"
            w="min(28rem, 100%)"
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
          <ReasonedButton
            reason={adminReason ?? (founder.trim() === '' ? 'Say who becomes the first admin.' : undefined)}
            loading={isPending}
            onClick={() => mutate()}
          >
            Provision production
          </ReasonedButton>
          <ProblemAlert error={error} shownAtFields={['/founder_email']} />
        </Stack>
      }
    >
      Production has users, records and a client id of its own. It starts empty; deploys bring it the configuration of
      test.
    </EmptyState>
  );
}
