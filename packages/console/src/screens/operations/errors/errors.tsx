import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { RefreshIcon } from '../../../components/icons.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Screen } from '../../../components/screen.tsx';
import { When } from '../../../components/when.tsx';
import { ErrorList } from './error-list.tsx';
import { errorsQuery, requestIdMax } from './queries.ts';

/** The last errors of the node, and the error of a request that a person asks about. */
export function Errors() {
  const { request: given }: { readonly request?: unknown } = useSearch({ strict: false });
  // The router reads what looks like a number as one.
  const request = given === undefined || given === '' ? undefined : String(given).slice(0, requestIdMax);
  const errors = useInfiniteQuery(errorsQuery(request));
  const items = errors.data?.pages.flatMap((page) => page.items) ?? [];
  const [first] = errors.data?.pages ?? [];
  return (
    <Screen
      title="Errors"
      intro="Requests that this node answered with a status of 500 and more, and work in the background that failed, the latest first. Work that fails again in the same way is one line."
      actions={
        <Button
          variant="default"
          leftSection={<RefreshIcon />}
          loading={errors.isFetching && !errors.isFetchingNextPage}
          onClick={() => void errors.refetch()}
        >
          Refresh
        </Button>
      }
    >
      <FindRequest key={request} request={request} />
      <Loaded query={errors}>
        {() => (items.length === 0 ? <NoErrors request={request} /> : <ErrorList errors={items} />)}
      </Loaded>
      {errors.data !== undefined && <ProblemAlert error={errors.error} />}
      {errors.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={errors.isFetchingNextPage}
          onClick={() => void errors.fetchNextPage()}
        >
          Show earlier errors
        </Button>
      )}
      {first !== undefined && (
        <Text size="sm" c="dimmed">
          The node keeps its last errors in memory, since its start <When at={first.since} />.
          {first.dropped > 0 && ` ${first.dropped} earlier errors are not kept any more; the log has them.`}
        </Text>
      )}
    </Screen>
  );
}

function NoErrors({ request }: { readonly request: string | undefined }) {
  if (request === undefined)
    return <EmptyState title="No errors">Nothing has failed on this node since it started.</EmptyState>;
  return (
    <EmptyState title="No error has this request id">
      The request did not fail on this node, failed before the node started, or is not kept any more. Another node may
      have answered it; the logs of all nodes have the request id.
    </EmptyState>
  );
}

/** A request id is whole or none, so the list is asked once it is typed. */
function FindRequest({ request }: { readonly request: string | undefined }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(request ?? '');
  const go = (id: string) =>
    void navigate({ to: '.', search: (id === '' ? {} : { request: id }) as never, replace: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(typed.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" role="search" aria-label="Errors">
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Request id"
            description="Each refusal shows it, as does the header X-Request-Id."
            maxLength={requestIdMax}
            w={384}
            maw="100%"
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
          <Button type="submit">Find</Button>
          {request !== undefined && (
            <Button variant="default" onClick={() => go('')}>
              Show all errors
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
