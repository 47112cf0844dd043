import { Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';

const orgQuery = queryOptions({ queryKey: ['org'], queryFn: () => call('readOrg') });

/** Who becomes the first admin of production, until that user has signed in. */
export function FirstAdmin() {
  const { data: org } = useQuery(orgQuery);
  const awaited = org?.environments.prod?.awaited_founder;
  return awaited === undefined ? null : <FirstAdminForm email={awaited.email} />;
}

function FirstAdminForm({ email }: { readonly email: string | null }) {
  const { adminReason } = usePlace();
  const [typed, setTyped] = useState<string>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (founder_email: string) => call('provisionProd', { body: { founder_email } }),
    onSuccess: () => {
      setTyped(undefined);
      return queryClient.invalidateQueries({ queryKey: orgQuery.queryKey });
    },
  });
  const shown = (typed ?? email ?? '').trim();
  const reason = shown === (email ?? '') ? 'The address has not changed.' : undefined;
  return (
    <Paper withBorder p="md" component="section" aria-label="First admin of production">
      <Stack gap="sm" align="flex-start">
        <Title order={2}>First admin of production</Title>
        <Text size="sm">
          {email === null
            ? 'No address is named: production has no admin until you name one.'
            : `${email} becomes the admin of the default workspace, by a sign-in in which the address is verified. Until then all users join as members.`}
        </Text>
        <TextInput
          type="email"
          label="Email of the first admin"
          value={typed ?? email ?? ''}
          disabled={adminReason !== undefined}
          autoComplete="off"
          w="min(28rem, 100%)"
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <ProblemAlert error={error} />
        <ReasonedButton reason={adminReason ?? reason} loading={isPending} onClick={() => mutate(shown)}>
          Save the first admin
        </ReasonedButton>
      </Stack>
    </Paper>
  );
}
