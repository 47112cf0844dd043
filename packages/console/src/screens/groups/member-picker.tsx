import { Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { accessKey } from '../policies/queries.ts';

interface Props {
  readonly workspace: string;
  readonly label: string;
  /** Why no member can be added. */
  readonly reason: string | undefined;
  readonly isAdding: boolean;
  readonly onAdd: (userId: string) => Promise<unknown>;
}

const offeredMax = 20;
const typingMilliseconds = 250;

/** Finds a member of the workspace by email or name, and adds the chosen member. */
export function MemberPicker({ workspace, label, reason, isAdding, onAdd }: Props) {
  const { env } = usePlace();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [search] = useDebouncedValue(typed.trim(), typingMilliseconds);
  const found = useQuery({
    queryKey: [accessKey, 'members', env, workspace, search],
    queryFn: ({ signal }) =>
      call('listMembers', { query: { env, tenant_code: workspace, q: search, pagesize: offeredMax }, signal }),
    enabled: reason === undefined,
    placeholderData: keepPreviousData,
  });
  if (reason !== undefined) return null;
  return (
    <div>
      <Group gap="xs" align="flex-end">
        <Select
          label={label}
          placeholder="Email or name"
          data={(found.data?.items ?? []).map(({ user_id, email }) => ({ value: user_id, label: email }))}
          value={chosen}
          searchable
          clearable
          searchValue={typed}
          onSearchChange={setTyped}
          // The server has searched already.
          filter={({ options }) => options}
          nothingFoundMessage={found.isFetching ? 'Searching' : 'No member is called so'}
          onChange={setChosen}
          maw={360}
        />
        <ReasonedButton
          reason={chosen === null ? 'Choose a member first.' : undefined}
          loading={isAdding}
          onClick={() => {
            if (chosen === null) return;
            void onAdd(chosen).then(
              () => setChosen(null),
              () => undefined,
            );
          }}
        >
          Add
        </ReasonedButton>
      </Group>
      <ProblemAlert error={found.error} />
    </div>
  );
}
