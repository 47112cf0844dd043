import { MultiSelect, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type DefinitionFormProps, type ViewField, type Views, withHints } from '../definition.ts';
import { messagesAt } from './fields-form.tsx';
import { ListForm } from './list-form.tsx';
import { TextMember } from './text-member.tsx';

interface NamedView {
  readonly name: string;
  readonly fields: readonly ViewField[];
}

const casts = ['string', 'number', 'integer', 'boolean'];
const platformFields = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

/** The views of the definition: which members a reply has, by the name that callers send as `view`. */
export function ViewsForm({ definition, onChange, ...rest }: DefinitionFormProps) {
  const views = Object.entries(definition.Views ?? {}).map(([name, { fields }]) => ({ name, fields: fields ?? [] }));
  const names = [...new Set([...(definition.UpdateParams ?? []).map(({ name }) => name), ...platformFields])];
  return (
    <ListForm<NamedView>
      {...rest}
      title="Views"
      noun="view"
      intro="What replies show of a record, for callers who choose the view with ?view= on create, get, update and list. An API of the entity that was given views of its own has those alone."
      pointerOf={(index) => `/Views/${views[index]?.name ?? ''}`}
      items={views}
      blank={{ name: freeName(views), fields: [] }}
      onChange={(changed) => onChange(withHints(definition, { Views: changed && viewsOf(changed) }))}
    >
      {(view, set, messages) => (
        <>
          <NameInput
            key={view.name}
            name={view.name}
            taken={views.map(({ name }) => name).filter((name) => name !== view.name)}
            isReadOnly={rest.isReadOnly}
            onChange={(name) => set({ ...view, name })}
          />
          <MultiSelect
            label="Members that it shows"
            data={[...new Set([...names, ...view.fields.map(({ name }) => name)])]}
            value={view.fields.map(({ name }) => name)}
            error={messages.get('fields')}
            readOnly={rest.isReadOnly}
            searchable
            onChange={(chosen) => set({ ...view, fields: chosen.map((name) => fieldOf(view, name)) })}
          />
          {view.fields.map((field, index) => (
            <ViewFieldInputs
              key={field.name}
              field={field}
              isLookup={(definition.UpdateParams ?? []).some(({ name, lookup }) => name === field.name && lookup)}
              isReadOnly={rest.isReadOnly}
              messages={messagesAt(rest.problem, `/Views/${view.name}/fields/${index}`)}
              onChange={(changed) => set({ ...view, fields: view.fields.with(index, changed) })}
            />
          ))}
        </>
      )}
    </ListForm>
  );
}

function viewsOf(views: readonly NamedView[]): Views {
  return Object.fromEntries(views.map(({ name, fields }) => [name, { fields }]));
}

function fieldOf({ fields }: NamedView, name: string): ViewField {
  return fields.find((field) => field.name === name) ?? { name };
}

function freeName(views: readonly NamedView[]): string {
  const names = new Set(views.map(({ name }) => name));
  for (let number = views.length + 1; ; number++) if (!names.has(`view_${number}`)) return `view_${number}`;
}

interface NameProps {
  readonly name: string;
  readonly taken: readonly string[];
  readonly isReadOnly: boolean;
  readonly onChange: (name: string) => void;
}

/** Views are kept by their names, so one gets its name when all of it is typed. */
function NameInput({ name, taken, isReadOnly, onChange }: NameProps) {
  const [typed, setTyped] = useState(name);
  const isTaken = taken.includes(typed);
  return (
    <TextInput
      label="Name of the view"
      value={typed}
      error={isTaken ? 'Another view has this name' : undefined}
      readOnly={isReadOnly}
      onChange={({ currentTarget: { value } }) => setTyped(value)}
      onBlur={() => {
        if (!isTaken && typed !== name) onChange(typed);
      }}
    />
  );
}

interface FieldInputsProps {
  readonly field: ViewField;
  readonly isLookup: boolean;
  readonly isReadOnly: boolean;
  readonly messages: ReadonlyMap<string, string>;
  readonly onChange: (field: ViewField) => void;
}

function ViewFieldInputs({ field, isLookup, isReadOnly, messages, onChange }: FieldInputsProps) {
  const { name, as, cast, lookup } = field;
  const setLookup = (hints: Partial<NonNullable<ViewField['lookup']>>) => {
    const changed = { view: lookup?.view ?? '', as: lookup?.as ?? '', ...hints };
    onChange(withHints(field, { lookup: changed.view === '' && changed.as === '' ? undefined : changed }));
  };
  const own = messages.get('');
  return (
    <SimpleGrid cols={{ base: 1, xs: isLookup ? 4 : 2 }} spacing="sm" role="group" aria-label={`Member ${name}`}>
      <TextMember
        size="xs"
        label={`${name}, shown as`}
        placeholder={name}
        value={as ?? ''}
        error={messages.get('as') ?? messages.get('name')}
        isReadOnly={isReadOnly}
        onChange={(value) => onChange(withHints(field, { as: value === '' ? undefined : value }))}
      />
      <Select
        size="xs"
        label="Converted to"
        placeholder="as it is"
        data={casts}
        value={cast ?? null}
        error={messages.get('cast')}
        readOnly={isReadOnly}
        clearable
        onChange={(value) => onChange(withHints(field, { cast: value ?? undefined }))}
      />
      {isLookup && (
        <>
          <TextMember
            size="xs"
            label="By the other record’s view"
            value={lookup?.view ?? ''}
            error={messages.get('lookup')}
            isReadOnly={isReadOnly}
            onChange={(value) => setLookup({ view: value })}
          />
          <TextMember
            size="xs"
            label="The other record, shown as"
            value={lookup?.as ?? ''}
            isReadOnly={isReadOnly}
            onChange={(value) => setLookup({ as: value })}
          />
        </>
      )}
      {own !== undefined && (
        <Text size="xs" c="red" role="alert">
          {own}
        </Text>
      )}
    </SimpleGrid>
  );
}
