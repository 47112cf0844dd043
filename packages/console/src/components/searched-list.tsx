import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { EmptyState } from './empty-state.tsx';
import { SearchIcon } from './icons.tsx';
import { Loaded } from './loaded.tsx';
import { ProblemAlert } from './problem-alert.tsx';

const typingMilliseconds = 250;
const longestSearch = 128;

/** What is searched for. It stands in the address as `q`, and is settled a moment after the last key. */
export function useSearched() {
  const { q = '' }: { readonly q?: string | undefined } = useSearch({ strict: false });
  const [settled] = useDebouncedValue(q.trim(), typingMilliseconds);
  return { q, settled };
}

/** A call looks at a bounded part of the list. So many calls are made by themselves while nothing is found. */
const callsMax = 10;

/** Searches on while nothing is found, so that a name at the end of a long list needs no clicks. */
function useSearchOn<Item>(pages: Props<Item>['pages'], settled: string): void {
  const { data, hasNextPage, isFetching, isError, isPlaceholderData, fetchNextPage } = pages;
  const isFound = data === undefined || isPlaceholderData || data.pages.some(({ items }) => items.length > 0);
  const mayLoadMore = settled !== '' && !isFound && hasNextPage && data.pages.length < callsMax;
  useEffect(() => {
    if (mayLoadMore && !isFetching && !isError) void fetchNextPage();
  }, [mayLoadMore, isFetching, isError, fetchNextPage]);
}

interface Props<Item> {
  /** What is listed, in the plural, such as `policies`. */
  readonly what: string;
  /** What it is found by, such as `name`. */
  readonly by: string;
  readonly searched: ReturnType<typeof useSearched>;
  /** Whether the user may not search it. */
  readonly isFixed?: boolean;
  /** What else narrows the list, beside the search. */
  readonly filters?: ReactNode;
  readonly pages: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;
  /** Where nothing is listed and nothing is searched for. */
  readonly none: { readonly title: string; readonly text: string };
  /** Where nothing is found, such as `No policy has this name`. */
  readonly notFound: string;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** A list that is read page by page, with a search through it. */
export function SearchedList<Item>({
  what,
  by,
  searched: { q, settled },
  isFixed = false,
  filters,
  pages,
  none,
  notFound,
  children,
}: Props<Item>) {
  const navigate = useNavigate();
  useSearchOn(pages, settled);
  const search = (value: string) =>
    void navigate({
      to: '.',
      search: (kept: object) => ({ ...kept, q: value === '' ? undefined : value }) as never,
      replace: true,
    });
  const shown = (items: readonly Item[]) => {
    if (items.length > 0) return children(items);
    if (settled === '') return pages.hasNextPage ? null : <EmptyState title={none.title}>{none.text}</EmptyState>;
    return (
      <EmptyState title={pages.hasNextPage ? 'Not found so far' : notFound}>
        {pages.isFetchingNextPage
          ? `Searching through more ${what}…`
          : pages.hasNextPage
            ? `There are more ${what} to search.`
            : `Search for a part of the ${by}.`}
      </EmptyState>
    );
  };
  return (
    <Stack>
      <Group gap="sm">
        <TextInput
          aria-label={`Search ${what}`}
          placeholder={`Search by ${by}`}
          leftSection={<SearchIcon />}
          value={q}
          maxLength={longestSearch}
          disabled={isFixed}
          w={384}
          maw="100%"
          onChange={({ currentTarget: { value } }) => search(value)}
        />
        {filters}
      </Group>
      <Loaded query={pages}>{(data) => shown(data.pages.flatMap(({ items }) => items))}</Loaded>
      {pages.data !== undefined && <ProblemAlert error={pages.error} />}
      {pages.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {settled === '' ? 'Show more' : 'Search further'}
        </Button>
      )}
    </Stack>
  );
}
