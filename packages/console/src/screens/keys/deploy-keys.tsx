import { Button, Group, Modal, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ShownOnce } from '../../components/org/shown-once.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { KeyFormEnd } from './key-form-end.tsx';
import { KeyTable } from './key-table.tsx';
import { type DeployKey, deployKeysQuery, endOfDay } from './queries.ts';

/** The keys by which pipelines deploy the org. */
export function DeployKeys() {
  const keys = useQuery(deployKeysQuery);
  const [isMaking, setIsMaking] = useState(false);
  const [revoked, setRevoked] = useState<DeployKey>();
  return (
    <Stack gap="sm" component="section" aria-label="Deploy keys">
      <Group justify="space-between">
        <Title order={2}>Deploy keys</Title>
        <Button onClick={() => setIsMaking(true)}>New deploy key</Button>
      </Group>
      <Text size="sm" c="dimmed">
        A pipeline deploys with a deploy key: it publishes configuration to production, or makes it live, and may do
        nothing else.
      </Text>
      <Loaded query={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No deploy keys">
              Create one for a pipeline that deploys the org when its configuration in a repository changes.
            </EmptyState>
          ) : (
            <KeyTable
              label="Deploy keys"
              keys={items}
              column="May"
              show={({ scope }) => scopeWords[scope]}
              onRevoke={setRevoked}
            />
          )
        }
      </Loaded>
      <Modal opened={isMaking} onClose={() => setIsMaking(false)} title="New deploy key" closeOnClickOutside={false}>
        {isMaking && <NewDeployKey onClose={() => setIsMaking(false)} />}
      </Modal>
      {revoked !== undefined && <RevokeDeployKey deployKey={revoked} onClose={() => setRevoked(undefined)} />}
    </Stack>
  );
}

const scopeWords: Readonly<Record<DeployKey['scope'], string>> = {
  publish: 'publish',
  settings: 'publish with settings',
  activate: 'activate and roll back',
};

function scopeOf(value: string): DeployKey['scope'] {
  return value === 'activate' || value === 'settings' ? value : 'publish';
}

function NewDeployKey({ onClose }: { readonly onClose: () => void }) {
  const [wanted, setWanted] = useState<{
    readonly name: string;
    readonly scope: DeployKey['scope'];
    readonly until: string;
  }>({ name: '', scope: 'publish', until: '' });
  const make = useMutation({
    mutationFn: () => {
      const { name, scope, until } = wanted;
      const expires_at = endOfDay(until);
      return call('createDeployKey', { body: { name, scope, ...(expires_at === undefined ? {} : { expires_at }) } });
    },
    onSuccess: () => queryClient.invalidateQueries(deployKeysQuery),
  });
  const problem = make.error instanceof ApiProblem ? make.error : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  if (make.data !== undefined)
    return (
      <ShownOnce value={make.data.key} what="key" onDone={onClose}>
        Give it to the pipeline as the secret FREEHOLD_TOKEN, which the command line reads.
      </ShownOnce>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Which pipeline uses the key."
          required
          data-autofocus
          maxLength={128}
          value={wanted.name}
          error={problem?.errorAt('/name')}
          onChange={({ currentTarget: { value } }) => setWanted({ ...wanted, name: value })}
        />
        <Radio.Group
          label="What it may do"
          value={wanted.scope}
          onChange={(value) => setWanted({ ...wanted, scope: scopeOf(value) })}
        >
          <Stack gap="xs" mt={4}>
            <Radio
              value="publish"
              label="Publish"
              description="Brings configuration to production, where it waits until it is activated."
            />
            <Radio
              value="settings"
              label="Publish with settings"
              description="The same, and changes workspace templates and texts of mails, but no other settings."
            />
            <Radio
              value="activate"
              label="Activate"
              description="Makes what waits in production live, and rolls production back."
            />
          </Stack>
        </Radio.Group>
        <KeyFormEnd
          until={wanted.until}
          make={make}
          onUntil={(until) => setWanted({ ...wanted, until })}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

interface RevokeProps {
  readonly deployKey: DeployKey;
  readonly onClose: () => void;
}

function RevokeDeployKey({ deployKey: { id, name }, onClose }: RevokeProps) {
  const revoke = useMutation({
    mutationFn: () => call('removeDeployKey', { params: { id } }),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(deployKeysQuery);
    },
  });
  return (
    <TypedConfirmation
      title={`Revoke the deploy key ${name}`}
      name={name}
      what="key"
      action="Revoke the key"
      work={{ ...revoke, mutate: () => revoke.mutate() }}
      onClose={onClose}
    >
      <Text size="sm">Pipelines with the key are refused at once. A revoked key cannot be brought back.</Text>
    </TypedConfirmation>
  );
}
