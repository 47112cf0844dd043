import { Button, Group, Modal, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ShownOnce } from '../../components/org/shown-once.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { policiesQuery } from '../policies/queries.ts';
import { endOfDay, serviceKeysQuery } from './queries.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a key for a server, and shows it this once. */
export function NewServiceKey({ isOpen, onClose }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="New service key" closeOnClickOutside={false}>
      {isOpen && <Making onClose={onClose} />}
    </Modal>
  );
}

function Making({ onClose }: Pick<Props, 'onClose'>) {
  const { env, workspace } = usePlace();
  const [wanted, setWanted] = useState({
    name: '',
    workspace: workspace ?? '',
    policies: [] as readonly string[],
    until: '',
  });
  const make = useMutation({
    mutationFn: () => {
      const expires_at = endOfDay(wanted.until);
      return call('createServiceKey', {
        body: {
          ...{ env, tenant_code: wanted.workspace, name: wanted.name, policies: wanted.policies },
          ...(expires_at === undefined ? {} : { expires_at }),
        },
      });
    },
    onSuccess: () => queryClient.invalidateQueries(serviceKeysQuery(env)),
  });
  const problem = make.error instanceof ApiProblem ? make.error : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  if (make.data !== undefined)
    return (
      <ShownOnce value={make.data.key} what="key" onDone={onClose}>
        Give it to the server as a secret, which sends it in the header Authorization, after the word Bearer.
      </ShownOnce>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What uses the key."
          required
          data-autofocus
          maxLength={128}
          value={wanted.name}
          error={problem?.errorAt('/name')}
          onChange={({ currentTarget: { value } }) => setWanted({ ...wanted, name: value })}
        />
        <WorkspaceSelect
          value={wanted.workspace}
          onChange={(chosen) => setWanted({ ...wanted, workspace: chosen, policies: [] })}
        />
        <PolicySelect
          workspace={wanted.workspace}
          value={wanted.policies}
          error={problem?.errors.find(({ pointer }) => pointer.startsWith('/policies'))?.message}
          onChange={(policies) => setWanted({ ...wanted, policies })}
        />
        <TextInput
          type="date"
          label="Expires after"
          description="Left out, it does not expire."
          value={wanted.until}
          error={problem?.errorAt('/expires_at') && 'Choose a day to come.'}
          onChange={({ currentTarget: { value } }) => setWanted({ ...wanted, until: value })}
        />
        <ProblemAlert error={make.error} shownAtFields={['/name', '/expires_at']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Create the key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface WorkspaceSelectProps {
  readonly value: string;
  readonly onChange: (workspace: string) => void;
}

function WorkspaceSelect({ value, onChange }: WorkspaceSelectProps) {
  const { env } = usePlace();
  const [typed, setTyped] = useState('');
  const [prefix] = useDebouncedValue(typed === value ? '' : typed.trim().toLowerCase(), 250);
  const found = useQuery({
    queryKey: ['workspaces', env, 'found', prefix],
    queryFn: ({ signal }) => call('listOrgWorkspaces', { query: { env, prefix, pagesize: 20 }, signal }),
    placeholderData: keepPreviousData,
  });
  const codes = (found.data?.items ?? []).map(({ code }) => code);
  return (
    <div>
      <Select
        label="Workspace"
        placeholder="Its code"
        required
        data={value === '' || codes.includes(value) ? codes : [value, ...codes]}
        value={value === '' ? null : value}
        searchable
        // The platform has searched already.
        filter={({ options }) => options}
        onSearchChange={setTyped}
        nothingFoundMessage={found.isFetching ? 'Searching the workspaces' : 'No workspace has this code'}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
      <ProblemAlert error={found.error} />
    </div>
  );
}

interface PolicySelectProps {
  readonly workspace: string;
  readonly value: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (policies: readonly string[]) => void;
}

/** Policies of the workspace, by their names. */
function PolicySelect({ workspace, value, error, onChange }: PolicySelectProps) {
  const { env } = usePlace();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 250);
  const found = useInfiniteQuery({ ...policiesQuery({ env, workspace }, search), enabled: workspace !== '' });
  const names = (found.data?.pages ?? []).flatMap(({ items }) => items.map(({ name }) => name));
  return (
    <div>
      <MultiSelect
        label="Policies"
        description="What the server may do. Without a policy it may do nothing."
        placeholder={workspace === '' ? 'Choose a workspace first' : ''}
        disabled={workspace === ''}
        data={[...new Set([...value, ...names])]}
        value={[...value]}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Take all policies away' }}
        maxValues={90}
        error={error}
        onSearchChange={setTyped}
        nothingFoundMessage="No policy has this name"
        onChange={onChange}
      />
      <ProblemAlert error={found.error} />
    </div>
  );
}
