import { Group, Select, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../../../api/session.ts';
import { colTypes, type Field, isRequired, type Lookup, withHints } from '../definition.ts';
import { entitiesQuery } from '../queries.ts';
import { FieldMigration } from './field-migration.tsx';
import { BoundInputs, DefaultInput, type FieldProps } from './hint-inputs.tsx';
import { computed, retyped, searchable, unindexed } from './retyped.ts';

const formulaTypes = ['string', 'number', 'integer', 'boolean', 'date', 'datetime'];
const lookupTypes: ReadonlySet<string> = new Set(['string', 'guid']);

interface DetailsProps extends FieldProps {
  /** The field as it is stored; undefined of a new one. */
  readonly stored: Field | undefined;
  /** There are no records that a change could concern. */
  readonly isOfNewEntity: boolean;
}

/** Everything about one field that the form knows; the rest of its members is in the JSON. */
export function FieldDetails({ stored, isOfNewEntity, ...props }: DetailsProps) {
  const { field, isReadOnly, errorAt, onChange } = props;
  const type = field.colType ?? 'string';
  const [dropped, setDropped] = useState<readonly string[]>([]);
  const retype = (colType: string | null): void => {
    if (colType === null || colType === type) return;
    const changed = retyped(field, stored, colType);
    setDropped(changed.dropped);
    onChange(changed.field);
  };
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Name"
          value={field.name}
          error={errorAt('name') ?? errorAt('renamedFrom')}
          readOnly={isReadOnly}
          onChange={({ currentTarget: { value } }) => onChange(renamed(field, stored, value))}
        />
        <Select
          label="Type"
          data={[...colTypes]}
          value={type}
          error={errorAt('colType')}
          readOnly={isReadOnly}
          allowDeselect={false}
          onChange={retype}
        />
        <BoundInputs {...props} />
        {lookupTypes.has(type) && <LookupInputs {...props} />}
        {type === 'array' && <ElementLookup {...props} />}
        <DefaultInput {...props} />
      </SimpleGrid>
      <Text size="sm" c="dimmed" role="status" hidden={dropped.length === 0}>
        Taken out, since {type} does not have it: {dropped.join(', ')}
      </Text>
      {type === 'formula' && <FormulaInputs {...props} />}
      {!isOfNewEntity && !computed.has(type) && <FieldMigration {...props} stored={stored} />}
      <Switches {...props} />
    </Stack>
  );
}

/** A field that is stored keeps its values under the new name. */
function renamed(field: Field, stored: Field | undefined, name: string): Field {
  const renamedFrom = stored === undefined || stored.name === name ? undefined : stored.name;
  return withHints(field, { name, renamedFrom });
}

function Switches({ field, isReadOnly, errorAt, onChange }: FieldProps) {
  const type = field.colType ?? 'string';
  const set = (hints: Parameters<typeof withHints>[1]) => onChange(withHints(field, hints));
  return (
    <Group gap="lg" align="flex-start">
      {!computed.has(type) && (
        <Switch
          label="Required"
          checked={isRequired(field)}
          disabled={isReadOnly}
          error={errorAt('required')}
          onChange={({ currentTarget: { checked } }) =>
            set(checked ? { validate: true, required: undefined } : { required: false })
          }
        />
      )}
      {!unindexed.has(type) && (
        <Switch
          label="Index"
          description="Lists sort and filter by it"
          checked={field.index === true}
          disabled={isReadOnly}
          error={errorAt('index')}
          onChange={({ currentTarget: { checked } }) => set({ index: checked ? true : undefined })}
        />
      )}
      {searchable.has(type) && (
        <Switch
          label="Search"
          description="Its words are found by q"
          checked={field.search === true}
          disabled={isReadOnly}
          error={errorAt('search')}
          onChange={({ currentTarget: { checked } }) => set({ search: checked ? true : undefined })}
        />
      )}
    </Group>
  );
}

function LookupInputs({ field, isReadOnly, errorAt, onChange }: FieldProps) {
  return (
    <LookupChoice
      lookup={field.lookup}
      isReadOnly={isReadOnly}
      error={errorAt('lookup')}
      rules={['restrict', 'cascade', 'setnull']}
      onChange={(lookup) => onChange(withHints(field, { lookup }))}
    />
  );
}

function ElementLookup({ field, isReadOnly, errorAt, onChange }: FieldProps) {
  return (
    <LookupChoice
      lookup={field.items?.lookup}
      isReadOnly={isReadOnly}
      error={errorAt('items')}
      rules={['restrict', 'setnull']}
      onChange={(lookup) =>
        onChange(withHints(field, { items: lookup === undefined ? undefined : { colType: 'guid', lookup } }))
      }
    />
  );
}

interface LookupProps {
  readonly lookup: Lookup | undefined;
  readonly isReadOnly: boolean;
  readonly error: string | undefined;
  /** What may happen when the other record is deleted. */
  readonly rules: readonly string[];
  readonly onChange: (lookup: Lookup | undefined) => void;
}

const systemEntities = ['user', 'group', 'userrole', 'aclpolicy'];

function LookupChoice({ lookup, isReadOnly, error, rules, onChange }: LookupProps) {
  const { env } = usePlace();
  const { data } = useQuery(entitiesQuery(env));
  const names = [...(data?.items ?? []).map(({ name }) => name), ...systemEntities];
  const known = lookup === undefined || names.includes(lookup.entity) ? names : [...names, lookup.entity];
  return (
    <>
      <Select
        label="Looks up"
        placeholder="No other record"
        searchable
        clearable
        data={known}
        value={lookup?.entity ?? null}
        error={error}
        readOnly={isReadOnly}
        onChange={(entity) => onChange(entity === null ? undefined : { ...lookup, entity })}
      />
      {lookup !== undefined && (
        <Select
          label="When the other record is deleted"
          data={rules.map((value) => ({ value, label: meanings[value] ?? value }))}
          value={lookup.onDelete ?? 'restrict'}
          readOnly={isReadOnly}
          allowDeselect={false}
          onChange={(onDelete) => onChange({ ...lookup, onDelete: onDelete ?? 'restrict' })}
        />
      )}
    </>
  );
}

const meanings: Readonly<Record<string, string>> = {
  restrict: 'refuse it (restrict)',
  cascade: 'delete this one too (cascade)',
  setnull: 'clear the field (setnull)',
};

function FormulaInputs({ field, isReadOnly, errorAt, onChange }: FieldProps) {
  const { formula = '' } = field;
  const cel = typeof formula === 'string' ? undefined : formula;
  const set = (value: Field['formula']) => onChange(withHints(field, { formula: value }));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Select
        label="Result"
        data={['text with fields in braces', ...formulaTypes]}
        value={cel?.type ?? 'text with fields in braces'}
        readOnly={isReadOnly}
        allowDeselect={false}
        onChange={(type) => {
          const text = cel?.cel ?? (typeof formula === 'string' ? formula : '');
          set(type === null || !formulaTypes.includes(type) ? text : { cel: text, type });
        }}
      />
      <Textarea
        label={cel === undefined ? 'Text, such as {title}-{score}' : 'Expression in CEL over the fields'}
        value={cel?.cel ?? (typeof formula === 'string' ? formula : '')}
        error={errorAt('formula')}
        readOnly={isReadOnly}
        autosize
        onChange={({ currentTarget: { value } }) => set(cel === undefined ? value : { ...cel, cel: value })}
      />
    </SimpleGrid>
  );
}
