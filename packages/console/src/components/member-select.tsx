import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findMembers, memberQuery } from '../api/members.ts';
import { usePlace } from '../api/session.ts';
import { ProblemAlert } from './problem-alert.tsx';

interface Props {
  readonly workspace: string;
  readonly label: string;
  readonly placeholder?: string;
  /** The id of the user, who need not be among those that are found. */
  readonly member: string | undefined;
  /** Whether only those can be chosen whom the app lets in. */
  readonly isActiveOnly?: boolean;
  readonly isClearable?: boolean;
  readonly maw?: number;
  readonly onChange: (member: string | undefined) => void;
}

const offeredMax = 20;
const typingMilliseconds = 250;

/** A member of the workspace, found by a part of the email or name. Members are read once the list is opened. */
export function MemberSelect({
  workspace,
  placeholder = 'Email or name',
  member,
  isActiveOnly = false,
  isClearable = false,
  onChange,
  ...shown
}: Props) {
  const { env } = usePlace();
  const [isWanted, setIsWanted] = useState(false);
  const [typed, setTyped] = useState('');
  const chosen = useQuery({ ...memberQuery({ env, workspace }, member ?? ''), enabled: member !== undefined });
  // What is chosen stands in the field too, and is not searched for.
  const [q] = useDebouncedValue(typed === chosen.data?.email ? '' : typed.trim(), typingMilliseconds);
  const found = useQuery({
    queryKey: ['members', env, workspace, 'found', q],
    queryFn: ({ signal }) => findMembers({ env, workspace }, { q, pagesize: offeredMax, signal }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const others = (found.data?.items ?? []).filter(({ user_id }) => user_id !== member);
  const first = member === undefined ? [] : [{ value: member, label: chosen.data?.email ?? member }];
  return (
    <div>
      <Select
        {...shown}
        placeholder={placeholder}
        data={[
          ...first,
          ...others.map(({ user_id, email, status }) => ({
            value: user_id,
            label: email,
            disabled: isActiveOnly && status !== 'active',
          })),
        ]}
        value={member ?? null}
        searchable
        clearable={isClearable}
        // The platform has searched already, also through names.
        filter={({ options }) => options}
        onDropdownOpen={() => setIsWanted(true)}
        onSearchChange={setTyped}
        nothingFoundMessage={found.isFetching ? 'Searching the members' : 'No member has this email or name'}
        error={chosen.isError ? 'The workspace has no such user.' : undefined}
        onChange={(value) => onChange(value ?? undefined)}
      />
      <ProblemAlert error={found.error} />
    </div>
  );
}
