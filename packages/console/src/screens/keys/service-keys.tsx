import { Anchor, Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { KeyTable } from './key-table.tsx';
import { NewServiceKey } from './new-service-key.tsx';
import { type ServiceKey, serviceKeysQuery } from './queries.ts';

/** The keys by which servers call the app in an environment, each as a principal of one workspace. */
export function ServiceKeys() {
  const { env } = usePlace();
  const keys = useInfiniteQuery(serviceKeysQuery(env));
  const [isMaking, setIsMaking] = useState(false);
  const [revoked, setRevoked] = useState<ServiceKey>();
  const environment = env === 'prod' ? 'production' : 'test';
  return (
    <Stack gap="sm" component="section" aria-label="Service keys">
      <Group justify="space-between">
        <Title order={2}>Service keys of {environment}</Title>
        <Button onClick={() => setIsMaking(true)}>New service key</Button>
      </Group>
      <Text size="sm" c="dimmed">
        A server calls the app with a service key. It is a principal of one workspace, and may do what its policies
        allow.
      </Text>
      <Loaded query={keys}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0)
            return (
              <EmptyState title={`No service keys in ${environment}`}>
                Create one for a server that reads or writes records without a user, such as a nightly import.
              </EmptyState>
            );
          return (
            <KeyTable
              label={`Service keys of ${environment}`}
              keys={items}
              column="Workspace"
              show={(key) => <InWorkspace serviceKey={key} />}
              onRevoke={setRevoked}
            />
          );
        }}
      </Loaded>
      {keys.data !== undefined && <ProblemAlert error={keys.error} />}
      {keys.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={keys.isFetchingNextPage}
          onClick={() => void keys.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      <NewServiceKey isOpen={isMaking} onClose={() => setIsMaking(false)} />
      {revoked !== undefined && <RevokeServiceKey serviceKey={revoked} onClose={() => setRevoked(undefined)} />}
    </Stack>
  );
}

function InWorkspace({ serviceKey: { id, env, tenant_code, state } }: { readonly serviceKey: ServiceKey }) {
  const { org } = usePlace();
  return (
    <Group gap="xs">
      {tenant_code}
      {state === 'ready' ? (
        <Anchor component={Link} to={`/o/${org}/${env}/users/${id}`} search={{ w: tenant_code } as never} size="sm">
          What it may do
        </Anchor>
      ) : (
        <Badge color="gray" variant="outline" tt="none">
          {state === 'making' ? 'not ready' : 'being removed'}
        </Badge>
      )}
    </Group>
  );
}

interface RevokeProps {
  readonly serviceKey: ServiceKey;
  readonly onClose: () => void;
}

function RevokeServiceKey({ serviceKey: { id, name, env, tenant_code }, onClose }: RevokeProps) {
  const revoke = useMutation({
    mutationFn: () => call('removeServiceKey', { params: { id } }),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(serviceKeysQuery(env));
    },
  });
  return (
    <TypedConfirmation
      title={`Revoke the service key ${name}`}
      name={name}
      what="key"
      action="Revoke the key"
      work={{ ...revoke, mutate: () => revoke.mutate() }}
      onClose={onClose}
    >
      <Text size="sm">
        Calls with the key are refused at once in the workspace {tenant_code} of{' '}
        {env === 'prod' ? 'production' : 'test'}, and its principal is removed. A revoked key cannot be brought back.
      </Text>
    </TypedConfirmation>
  );
}
