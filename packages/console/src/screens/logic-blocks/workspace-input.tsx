import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Environment, usePlace } from '../../api/session.ts';

const codesQuery = (env: Environment, prefix: string) =>
  queryOptions({
    queryKey: ['workspaces', env, 'codes', prefix],
    queryFn: async ({ signal }) =>
      (await call('listOrgWorkspaces', { query: { env, prefix }, signal })).items.map(({ code }) => code),
  });

/** Where a run is begun as long as none is named: in `main`, or else in the first workspace; in production in the only one. */
function firstOf(codes: readonly string[], env: Environment): string | undefined {
  if (codes.includes('main')) return 'main';
  return env === 'test' || codes.length === 1 ? codes[0] : undefined;
}

export interface RunWorkspace {
  readonly code: string;
  readonly setCode: (code: string) => void;
  /** Whether the builder has taken the name away. */
  readonly isCleared: boolean;
  /** Has the first workspace looked for, where none is named. */
  readonly ask: () => void;
  /** The code that is sent. */
  settled(): Promise<string>;
}

/** The workspace of a run: that of the frame, or else the first. `isAsked` says whether that is looked for at once. */
export function useRunWorkspace({ isOpen = false }: { readonly isOpen?: boolean } = {}): RunWorkspace {
  const { env, workspace } = usePlace();
  const [named, setNamed] = useState(workspace);
  const [isWanted, setIsWanted] = useState(isOpen);
  const first = useQuery({ ...codesQuery(env, ''), enabled: isWanted && named === undefined });
  return {
    code: named ?? firstOf(first.data ?? [], env) ?? '',
    setCode: setNamed,
    isCleared: named?.trim() === '',
    ask: () => setIsWanted(true),
    settled: async () =>
      named?.trim() ?? firstOf(await queryClient.ensureQueryData(codesQuery(env, '')), env) ?? 'main',
  };
}

/** The code of a workspace, with those that begin with what was typed. */
export function WorkspaceInput({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (code: string) => void;
}) {
  const { env } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const [prefix] = useDebouncedValue(value.trim().toLowerCase(), 200);
  const { data } = useQuery({ ...codesQuery(env, prefix), placeholderData: keepPreviousData, enabled: isOpen });
  return (
    <Autocomplete
      label="Workspace"
      description="The code of the workspace in which it runs."
      data={[...(data ?? [])]}
      value={value}
      required
      maxLength={63}
      onFocus={() => setIsOpen(true)}
      maw={320}
      onChange={onChange}
    />
  );
}
