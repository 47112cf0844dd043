import { Button, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import type { Entry, Names } from './described-entry.ts';
import { EntryList } from './entry-list.tsx';

interface EntryResultsProps {
  readonly entries: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Entry[] }>>;
  readonly names: Names;
  readonly isNarrowed: boolean;
  /** What a filter may be widened by, and what the log will show. */
  readonly empty: { readonly narrowed: string; readonly none: string };
}

/** The entries that are found so far, the latest first, and the way further back. */
export function FoundEntries({ entries, names, isNarrowed, empty }: EntryResultsProps) {
  const items = entries.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Loaded query={entries}>
        {() => {
          if (items.length > 0) return <EntryList items={items} names={names} />;
          if (entries.hasNextPage)
            return <Text size="sm">No entry is found so far. There are more to look through.</Text>;
          return (
            <EmptyState title={isNarrowed ? 'No entry is like this' : 'No entries yet'}>
              {isNarrowed ? empty.narrowed : empty.none}
            </EmptyState>
          );
        }}
      </Loaded>
      {entries.data !== undefined && <ProblemAlert error={entries.error} />}
      {entries.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={entries.isFetchingNextPage}
          onClick={() => void entries.fetchNextPage()}
        >
          {isNarrowed ? 'Look further back' : 'Show earlier entries'}
        </Button>
      )}
    </>
  );
}
