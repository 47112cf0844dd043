import { Button, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useActor } from '../../api/app.ts';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';

/** Chooses the member of the workspace as whom calls are made. It stands in the address. */
export function RunAs() {
  const { env, workspace } = usePlace();
  const actor = useActor();
  const navigate = useNavigate();
  const members = useInfiniteQuery({
    queryKey: ['members', env, workspace],
    queryFn: ({ pageParam, signal }) =>
      call('readAccessMatrix', {
        query: { env, tenant_code: workspace ?? '', entity: 'user', pagesize: 50, nexttoken: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
    enabled: workspace !== undefined,
  });
  if (workspace === undefined)
    return <Text size="sm">Choose a workspace at the top of the page: a call is made in one of them.</Text>;
  const found = members.data?.pages.flatMap(({ items }) => items) ?? [];
  const data = found.map(({ user_id, email, status }) => ({
    value: user_id,
    label: email,
    disabled: status !== 'active',
  }));
  const chosen = actor?.user;
  const isListed = chosen === undefined || data.some(({ value }) => value === chosen);
  return (
    <Stack gap="xs">
      <Select
        label={`As a member of ${workspace}`}
        placeholder={env === 'test' ? 'You, who may do everything in test' : 'Choose a member'}
        data={isListed ? data : [{ value: chosen, label: chosen, disabled: false }, ...data]}
        value={chosen ?? null}
        searchable
        clearable
        nothingFoundMessage="No member has this address"
        onChange={(u) => void navigate({ to: '.', search: (kept) => ({ ...kept, u: u ?? undefined }), replace: true })}
      />
      {members.hasNextPage && (
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          loading={members.isFetchingNextPage}
          onClick={() => void members.fetchNextPage()}
        >
          More members
        </Button>
      )}
      <ProblemAlert error={members.error} />
    </Stack>
  );
}
