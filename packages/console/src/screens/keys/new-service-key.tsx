import { Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ShownOnce } from '../../components/org/shown-once.tsx';
import { WorkspaceSelect } from '../../components/org/workspace-select.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { policiesQuery } from '../policies/queries.ts';
import { KeyFormEnd } from './key-form-end.tsx';
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
