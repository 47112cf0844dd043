import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findMembers } from '../../api/members.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import type { Principal } from './stored-draft.ts';

interface Props {
  readonly workspace: string;
  readonly principals: readonly Principal[];
  readonly onChange: (principals: readonly Principal[]) => void;
}

const offeredMax = 20;
const principalsMax = 100;
const typingMilliseconds = 250;

/** The members who would hold a new policy. */
export function PrincipalsInput({ workspace, principals, onChange }: Props) {
  const { env } = usePlace();
  const [isWanted, setIsWanted] = useState(false);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), typingMilliseconds);
  const found = useQuery({
    queryKey: ['members', env, workspace, 'found', q],
    queryFn: ({ signal }) => findMembers({ env, workspace }, { q, pagesize: offeredMax, signal }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const others = (found.data?.items ?? []).map(({ user_id, email }) => ({ id: user_id, email }));
  const known = [...principals, ...others.filter(({ id }) => principals.every((one) => one.id !== id))];
  return (
    <div>
      <MultiSelect
        label="Members who would hold it"
        description="A new policy adds to what they hold. To see what they would lose, change a policy that they hold."
        placeholder="Email or name"
        data={known.map(({ id, email }) => ({ value: id, label: email }))}
        value={principals.map(({ id }) => id)}
        searchable
        maw={640}
        maxValues={principalsMax}
        // The platform has searched already, also through names.
        filter={({ options }) => options}
        onDropdownOpen={() => setIsWanted(true)}
        onSearchChange={setTyped}
        nothingFoundMessage={found.isFetching ? 'Searching the members' : 'No member has this email or name'}
        onChange={(ids) => onChange(known.filter(({ id }) => ids.includes(id)))}
      />
      <ProblemAlert error={found.error} />
    </div>
  );
}
