import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';

interface Props {
  readonly value: string;
  readonly onChange: (code: string) => void;
}

/** The code of a workspace, with those that begin with what was typed. */
export function WorkspaceInput({ value, onChange }: Props) {
  const { env } = usePlace();
  const [isAsked, setIsAsked] = useState(false);
  const [prefix] = useDebouncedValue(value.trim().toLowerCase(), 200);
  const { data } = useQuery({
    queryKey: ['workspaces', env, 'codes', prefix],
    queryFn: ({ signal }) => call('listOrgWorkspaces', { query: { env, prefix }, signal }),
    placeholderData: keepPreviousData,
    enabled: isAsked,
  });
  return (
    <Autocomplete
      label="Workspace"
      description="The code of the workspace in which it runs."
      data={(data?.items ?? []).map(({ code }) => code)}
      value={value}
      required
      maxLength={63}
      onFocus={() => setIsAsked(true)}
      maw={320}
      onChange={onChange}
    />
  );
}
