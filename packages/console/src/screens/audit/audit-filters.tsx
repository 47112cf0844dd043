import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { actionKinds } from './action-kinds.ts';
import type { AuditSearch } from './audit-search.ts';
import type { Names } from './described-entry.ts';

interface Props {
  readonly search: AuditSearch;
  readonly names: Names;
}

/** The filters of the log, all of which are in the address. */
export function AuditFilters({ search, names }: Props) {
  const navigate = useNavigate();
  const change = (changed: AuditSearch) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...changed }) as never, replace: true });
  const { who, what, in: env, from, to } = search;
  const isNarrowed = Object.keys(search).length > 0;
  const chosen = <Name extends keyof AuditSearch>(name: Name, value: string | null) =>
    change({ [name]: value === null || value === '' ? undefined : value });
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Entries">
      <Select
        label="Who"
        placeholder="Everybody"
        data={optionsOf([...names], who)}
        value={who ?? null}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Show everybody' }}
        w={170}
        onChange={(value) => chosen('who', value)}
      />
      <Select
        label="What"
        placeholder="Everything"
        data={optionsOf(actionKinds, what)}
        value={what ?? null}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Show everything' }}
        w={170}
        onChange={(value) => chosen('what', value)}
      />
      <ObjectInput key={search.object} object={search.object} onChange={(value) => chosen('object', value)} />
      <NativeSelect
        label="Environment"
        data={[
          { value: '', label: 'Both' },
          { value: 'test', label: 'Test' },
          { value: 'prod', label: 'Production' },
        ]}
        value={env ?? ''}
        onChange={({ currentTarget: { value } }) => chosen('in', value)}
      />
      <TextInput
        type="date"
        label="From"
        value={from ?? ''}
        max={to}
        onChange={({ currentTarget: { value } }) => chosen('from', value)}
      />
      <TextInput
        type="date"
        label="Until"
        value={to ?? ''}
        min={from}
        onChange={({ currentTarget: { value } }) => chosen('to', value)}
      />
      {isNarrowed && (
        <Button variant="default" onClick={() => change(nothingChosen)}>
          Show all entries
        </Button>
      )}
    </Group>
  );
}

const nothingChosen = {
  who: undefined,
  what: undefined,
  object: undefined,
  in: undefined,
  from: undefined,
  to: undefined,
  request: undefined,
} as const satisfies AuditSearch;

/** What the address asks for is an option too, whatever it is. */
function optionsOf(known: readonly (readonly [value: string, label: string])[], chosen: string | undefined) {
  const options = known.map(([value, label]) => ({ value, label }));
  if (chosen === undefined || options.some(({ value }) => value === chosen)) return options;
  return [...options, { value: chosen, label: chosen }];
}

interface ObjectInputProps {
  readonly object: string | undefined;
  readonly onChange: (object: string) => void;
}

/** An id is whole or none, so the log is asked once it is typed, not with each key. */
function ObjectInput({ object = '', onChange }: ObjectInputProps) {
  const [typed, setTyped] = useState(object);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== object) onChange(typed.trim());
  };
  return (
    <form onSubmit={submit} onBlur={submit}>
      <TextInput
        label="Object"
        placeholder="Its name or id"
        value={typed}
        maxLength={300}
        w={150}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
    </form>
  );
}
