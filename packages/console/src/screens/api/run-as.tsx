import { Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActor } from '../../api/app.ts';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';

/** Chooses the member of the workspace as whom calls are made. It stands in the address. */
export function RunAs() {
  const { workspace } = usePlace();
  if (workspace === undefined)
    return <Text size="sm">Choose a workspace at the top of the page: a call is made in one of them.</Text>;
  return <Members workspace={workspace} />;
}

const found = 20;
const typingMilliseconds = 200;

function Members({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const actor = useActor();
  const navigate = useNavigate();
  const [isWanted, setIsWanted] = useState(false);
  const [typed, setTyped] = useState('');
  const chosen = useChosen(workspace, actor?.user);
  // What is chosen stands in the field too, and is not searched for.
  const [q] = useDebouncedValue(typed === chosen.data?.email ? '' : typed.trim(), typingMilliseconds);
  const members = useQuery({
    queryKey: ['members', env, workspace, 'found', q],
    queryFn: ({ signal }) =>
      call('listMembers', { query: { env, tenant_code: workspace, q, pagesize: found }, signal }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const others = (members.data?.items ?? []).filter(({ user_id }) => user_id !== actor?.user);
  const shown = chosen.data === undefined ? others : [chosen.data, ...others];
  return (
    <Stack gap="xs">
      <Select
        label={`As a member of ${workspace}`}
        placeholder={env === 'test' ? 'You, who may do everything in test' : 'Choose a member'}
        data={shown.map(({ user_id, email, status }) => ({
          value: user_id,
          label: email,
          disabled: status !== 'active',
        }))}
        value={actor?.user ?? null}
        searchable
        clearable
        // The server has searched already.
        filter={({ options }) => options}
        onDropdownOpen={() => setIsWanted(true)}
        onSearchChange={setTyped}
        nothingFoundMessage={members.isFetching ? 'Searching the members' : 'No member has such an address'}
        onChange={(u) => void navigate({ to: '.', search: (kept) => ({ ...kept, u: u ?? undefined }), replace: true })}
      />
      <ProblemAlert error={members.error ?? chosen.error} />
    </Stack>
  );
}

/** The member in the address, who need not be among those that were found. */
function useChosen(workspace: string, user: string | undefined) {
  const { env } = usePlace();
  return useQuery({
    queryKey: ['members', env, workspace, user],
    queryFn: ({ signal }) =>
      call('readMember', { params: { id: user ?? '' }, query: { env, tenant_code: workspace }, signal }),
    enabled: user !== undefined,
  });
}
