import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Screen } from '../../../components/screen.tsx';
import { type AuditSearch, queryOf, readAuditSearch } from '../../audit/audit-search.ts';
import { FoundEntries } from '../../audit/entry-results.tsx';
import { operate } from '../operate.ts';
import { operatorKinds } from './operator-kinds.ts';

const entriesQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['operator audit', search],
    queryFn: ({ pageParam, signal }) =>
      operate('listOperatorAuditEntries', { query: { ...queryOf(search), nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
    placeholderData: keepPreviousData,
  });

/** What was done to the platform as a whole. */
export function OperatorAudit() {
  const search = useEntrySearch();
  const entries = useInfiniteQuery(entriesQuery(search));
  const isNarrowed = Object.keys(search).length > 0;
  return (
    <Screen
      title="Audit log of the operator"
      intro="What was done to the platform as a whole, the latest first. What the operator did to one org, such as its plan, is in the audit log of that org."
    >
      <Filters search={search} isNarrowed={isNarrowed} />
      <FoundEntries
        {...{ entries, isNarrowed }}
        names={noNames}
        empty={{
          narrowed: 'Choose less narrowly: another kind of action, or a longer period.',
          none: 'Each change of the platform as a whole is noted here, such as a backup or a rotation of the signing keys.',
        }}
      />
    </Screen>
  );
}

/** Keys and the operator have no names beside their ids. */
const noNames = new Map<string, string>();

/** What of the address chooses among the entries: only what is chosen, so that an address has one list. */
function useEntrySearch(): AuditSearch {
  const search = readAuditSearch(useSearch({ strict: false }));
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

interface FilterProps {
  readonly search: AuditSearch;
  readonly isNarrowed: boolean;
}

function Filters({ search, isNarrowed }: FilterProps) {
  const navigate = useNavigate();
  const { from, to, object, request, who } = search;
  const go = (chosen: AuditSearch) => void navigate({ to: '.', search: chosen as never, replace: true });
  const choose = (name: keyof AuditSearch, value: string) =>
    go({ ...search, [name]: value === '' ? undefined : value });
  const alike = [object, request, who].filter((value) => value !== undefined);
  return (
    <Stack gap="xs" role="search" aria-label="Entries">
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="What"
          data={[{ value: '', label: 'Everything' }, ...operatorKinds]}
          value={search.what ?? ''}
          onChange={({ currentTarget: { value } }) => choose('what', value)}
        />
        <TextInput
          type="date"
          label="From"
          value={from ?? ''}
          max={to}
          onChange={({ currentTarget: { value } }) => choose('from', value)}
        />
        <TextInput
          type="date"
          label="Until"
          value={to ?? ''}
          min={from}
          onChange={({ currentTarget: { value } }) => choose('to', value)}
        />
        {isNarrowed && (
          <Button variant="default" onClick={() => go({})}>
            Show all entries
          </Button>
        )}
      </Group>
      {alike.length > 0 && <Text size="sm">Only entries with {alike.join(' and ')}.</Text>}
    </Stack>
  );
}
