import { Alert, List, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Environment, meQuery, usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { When } from '../../components/when.tsx';
import { SettingsFrame } from './settings-page.tsx';

const names = { test: 'Test', prod: 'Production' } as const;

/** The ids by which apps name the environments. */
export function ClientIds() {
  const me = useQuery(meQuery);
  return (
    <SettingsFrame path="client-ids">
      <Text size="sm" maw="50rem">
        An app sends the client id when it signs a user in. It says which environment the app means, and is no secret.
        Client ids belong to the org: no deploy changes them.
      </Text>
      <Loaded query={me} skeleton={<Skeleton height={260} />}>
        {({ org }) => (
          <>
            <EnvironmentId env="test" access={org.environments.test} />
            {org.environments.prod === null ? (
              <Paper withBorder p="md">
                <Title order={2}>Production</Title>
                <Text size="sm" mt="xs">
                  The org has no production yet. It gets a client id when it is provisioned.
                </Text>
              </Paper>
            ) : (
              <EnvironmentId env="prod" access={org.environments.prod} />
            )}
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

interface Access {
  readonly client_id: string;
  readonly previous?: { readonly client_id: string; readonly until: string } | undefined;
}

function EnvironmentId({ env, access }: { readonly env: Environment; readonly access: Access }) {
  const { adminReason } = usePlace();
  const [isConfirming, setIsConfirming] = useState(false);
  const { client_id, previous } = access;
  const isPreviousValid = previous !== undefined && Date.parse(previous.until) > Date.now();
  return (
    <Paper withBorder p="md" component="section" aria-label={names[env]}>
      <Stack gap="sm" align="flex-start">
        <Title order={2}>{names[env]}</Title>
        <CopyId value={client_id} what={`client id of ${env}`} />
        {isPreviousValid && (
          <Alert color="yellow" role="note" w="100%">
            The previous id <code>{previous.client_id}</code> is valid until{' '}
            {previous.until.replace('T', ' ').replace(/:\d\d(\.\d+)?Z$/, ' UTC')} (<When at={previous.until} />
            ). After that, an app that still sends it can sign no user in.
          </Alert>
        )}
        <ReasonedButton reason={adminReason} variant="default" color="red" onClick={() => setIsConfirming(true)}>
          Give {env === 'test' ? 'test' : 'production'} a new client id
        </ReasonedButton>
      </Stack>
      {isConfirming && <Rotate env={env} access={access} onClose={() => setIsConfirming(false)} />}
    </Paper>
  );
}

interface RotateProps {
  readonly env: Environment;
  readonly access: Access;
  readonly onClose: () => void;
}

function Rotate({ env, access, onClose }: RotateProps) {
  const { org } = usePlace();
  const rotate = useMutation({
    mutationFn: () => call('rotateClientId', { params: { env } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      onClose();
    },
  });
  const isOverlapping = access.previous !== undefined && Date.parse(access.previous.until) > Date.now();
  return (
    <TypedConfirmation
      title={`A new client id for ${env === 'test' ? 'test' : 'production'}?`}
      name={`${org} ${env}`}
      what="org and environment"
      action="Give it a new client id"
      work={{ mutate: () => rotate.mutate(), isPending: rotate.isPending, error: rotate.error }}
      onClose={onClose}
    >
      <List size="sm">
        <List.Item>
          Apps may go on with the id of today for 24 hours. Deliver the new id to them in that time.
        </List.Item>
        <List.Item>After 24 hours an app with the old id can sign no user in (401 client_unknown).</List.Item>
        <List.Item>
          Tokens of users stay valid until they end, after 48 hours at most. A token that was issued for the old id
          cannot be renewed once that is over: its user signs in again.
        </List.Item>
        {isOverlapping && (
          <List.Item>
            An id from before is still valid until then: it ends at once, since only one previous id is kept.
          </List.Item>
        )}
      </List>
    </TypedConfirmation>
  );
}
