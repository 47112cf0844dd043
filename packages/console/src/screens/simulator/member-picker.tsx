import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { memberQuery } from '../../api/members.ts';
import { usePlace } from '../../api/session.ts';
import { membersQuery } from '../who-can/queries.ts';

interface Props {
  readonly workspace: string;
  /** The id of the user. */
  readonly member: string | undefined;
  readonly onChange: (member: string | undefined) => void;
}

/** A user of the workspace, found by a part of the email or name. The users are read once the list is opened. */
export function MemberPicker({ workspace, member, onChange }: Props) {
  const { env } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 250);
  const chosen = useQuery({ ...memberQuery({ env, workspace }, member ?? ''), enabled: member !== undefined });
  const isChosenName = settled === chosen.data?.email;
  const found = useInfiniteQuery({
    ...membersQuery({ env, workspace }, isChosenName ? '' : settled),
    enabled: isOpen,
  });
  const options = new Map<string, string>();
  if (member !== undefined) options.set(member, chosen.data?.email ?? member);
  for (const { user_id, email } of found.data?.pages.flatMap((page) => page.items) ?? []) options.set(user_id, email);
  return (
    <Select
      label="User"
      placeholder="Email or name"
      searchable
      data={[...options].map(([value, label]) => ({ value, label }))}
      // The platform has searched already, also through names.
      filter={({ options: all }) => all}
      value={member ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      onSearchChange={setTyped}
      onDropdownOpen={() => setIsOpen(true)}
      nothingFoundMessage={found.isPending ? 'Searching' : 'No user has this email or name'}
      error={chosen.isError ? 'The workspace has no such user.' : undefined}
    />
  );
}
