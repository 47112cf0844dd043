import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { groupQuery, groupsQuery, policiesQuery, policyQuery } from '../policies/queries.ts';

interface Props {
  readonly workspace: string;
  readonly label: string;
  /** The id of what is chosen, which need not be among those that are found. */
  readonly chosen: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

const typingMilliseconds = 250;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A policy of the workspace, found by a part of its name. Policies are read once the list is opened. */
export function PolicySelect(props: Props) {
  const { env } = usePlace();
  const { workspace, chosen } = props;
  const field = useField();
  const { data } = useQuery({ ...policyQuery({ env, workspace }, chosen ?? ''), enabled: chosen !== undefined });
  const found = useInfiniteQuery({
    ...policiesQuery({ env, workspace }, field.search === data?.name ? '' : field.search),
    enabled: field.isWanted,
  });
  return <NamedSelect {...props} {...field} what="policy" first={data} found={found} />;
}

/** A group of the workspace, found by a part of its name. */
export function GroupSelect(props: Props) {
  const { env } = usePlace();
  const { workspace, chosen } = props;
  const field = useField();
  const { data } = useQuery({ ...groupQuery({ env, workspace }, chosen ?? ''), enabled: chosen !== undefined });
  const found = useInfiniteQuery({
    ...groupsQuery({ env, workspace }, field.search === data?.name ? '' : field.search),
    enabled: field.isWanted,
  });
  return <NamedSelect {...props} {...field} what="group" first={data} found={found} />;
}

function useField() {
  const [isWanted, setIsWanted] = useState(false);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingMilliseconds);
  return { isWanted, search, onWanted: () => setIsWanted(true), onTyped: setTyped };
}

interface NamedProps extends Props {
  readonly what: 'policy' | 'group';
  readonly first: Named | undefined;
  readonly found: {
    readonly data: { readonly pages: readonly { readonly items: readonly Named[] }[] } | undefined;
    readonly isFetching: boolean;
    readonly error: Error | null;
  };
  readonly onWanted: () => void;
  readonly onTyped: (text: string) => void;
}

function NamedSelect({ label, chosen, what, first, found, onWanted, onTyped, onChange }: NamedProps) {
  const others = (found.data?.pages.flatMap(({ items }) => items) ?? []).filter(({ id }) => id !== chosen);
  const shown = chosen === undefined ? [] : [{ id: chosen, name: first?.name ?? chosen }];
  return (
    <div>
      <Select
        label={label}
        placeholder={`Name of a ${what}`}
        data={[...shown, ...others].map(({ id, name }) => ({ value: id, label: name }))}
        value={chosen ?? null}
        searchable
        maw={420}
        // The platform has searched already.
        filter={({ options }) => options}
        onDropdownOpen={onWanted}
        onSearchChange={onTyped}
        nothingFoundMessage={found.isFetching ? 'Searching' : `No ${what} has this name`}
        onChange={(id) => onChange(id ?? undefined)}
      />
      <ProblemAlert error={found.error} />
    </div>
  );
}
