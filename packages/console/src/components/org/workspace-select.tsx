import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { type Environment, usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../problem-alert.tsx';

/** The first workspaces whose code begins with `prefix`. */
export const foundWorkspacesQuery = (env: Environment, prefix: string) =>
  queryOptions({
    queryKey: ['workspaces', env, 'found', prefix],
    queryFn: ({ signal }) => call('listOrgWorkspaces', { query: { env, prefix, pagesize: 20 }, signal }),
    placeholderData: keepPreviousData,
  });

interface Props {
  /** The code of the workspace; empty while none is chosen. */
  readonly value: string;
  readonly error?: string | undefined;
  /** Whether a dialog begins with it. */
  readonly isFocused?: boolean;
  readonly onChange: (workspace: string) => void;
}

/** A workspace of the environment, found by the beginning of its code. */
export function WorkspaceSelect({ value, error, isFocused = false, onChange }: Props) {
  const { env } = usePlace();
  const [typed, setTyped] = useState('');
  const [prefix] = useDebouncedValue(typed === value ? '' : typed.trim().toLowerCase(), 250);
  const found = useQuery(foundWorkspacesQuery(env, prefix));
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
        error={error}
        data-autofocus={isFocused || undefined}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
      <ProblemAlert error={found.error} />
    </div>
  );
}
