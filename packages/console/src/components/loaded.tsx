import { Button, Group, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemAlert } from './problem-alert.tsx';

interface Props<Data> {
  readonly query: UseQueryResult<Data, Error>;
  /** As tall as what will stand in its place, so that nothing jumps. Left out, a few lines. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** The data that were read, once it is there; before that a skeleton, or the reason why it cannot be shown. */
export function Loaded<Data>({ query, skeleton = <LineSkeletons />, children }: Props<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError)
    return (
      <Stack align="flex-start">
        <ProblemAlert error={query.error} />
        <Button variant="default" onClick={() => void query.refetch()} loading={query.isFetching}>
          Try again
        </Button>
      </Stack>
    );
  return <div aria-busy="true">{skeleton}</div>;
}

export function LineSkeletons({ lines = 4 }: { readonly lines?: number }) {
  return (
    <Stack gap="sm">
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line) => (
        <Group key={line} gap="md" wrap="nowrap">
          <Skeleton height={18} width={18} circle />
          <Skeleton height={14} width="60%" />
        </Group>
      ))}
    </Stack>
  );
}
