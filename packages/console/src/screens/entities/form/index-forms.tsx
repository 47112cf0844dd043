import { MultiSelect, Select, SimpleGrid, Switch } from '@mantine/core';
import { type Definition, type DefinitionFormProps, type Field, withHints } from '../definition.ts';
import { ListForm } from './list-form.tsx';
import { TextMember } from './text-member.tsx';

/** The indexes over several fields, those by owner and parent, and the aggregates that are kept. */
export function IndexForms(props: DefinitionFormProps) {
  return (
    <>
      <UniqueIndexes {...props} />
      <CompoundIndexes {...props} />
      <OwnerIndexes {...props} />
      <ParentIndex {...props} />
      <KeptAggregates {...props} />
    </>
  );
}

function namesOf({ UpdateParams = [] }: Definition): readonly string[] {
  return [...new Set(UpdateParams.map(({ name }) => name))];
}

/** What can be chosen, with what is chosen although it is no field any more. */
function withChosen(names: readonly string[], ...chosen: readonly string[]): string[] {
  return [...new Set([...names, ...chosen.filter((name) => name !== '')])];
}

function UniqueIndexes({ definition, onChange, ...rest }: DefinitionFormProps) {
  return (
    <ListForm
      {...rest}
      title="Unique indexes"
      noun="unique index"
      intro="No two records of a workspace have the same values in these fields."
      pointerOf={(index) => `/UniqueIndexes/${index}`}
      items={definition.UniqueIndexes ?? []}
      blank={{ indexName: '', fields: [] }}
      onChange={(UniqueIndexes) => onChange(withHints(definition, { UniqueIndexes }))}
    >
      {(index, set, messages) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextMember
              label="Name of the index"
              value={index.indexName}
              error={messages.get('indexName')}
              isReadOnly={rest.isReadOnly}
              onChange={(value) => set({ ...index, indexName: value })}
            />
            <MultiSelect
              label="Fields that are unique together"
              data={withChosen(namesOf(definition), ...index.fields)}
              value={[...index.fields]}
              error={messages.get('fields')}
              readOnly={rest.isReadOnly}
              searchable
              onChange={(fields) => set({ ...index, fields })}
            />
          </SimpleGrid>
          <Switch
            label="Ignore the case of letters"
            checked={index.ignoreCase === true}
            disabled={rest.isReadOnly}
            onChange={({ currentTarget: { checked } }) => set(withHints(index, { ignoreCase: checked || undefined }))}
          />
        </>
      )}
    </ListForm>
  );
}

function CompoundIndexes({ definition, onChange, ...rest }: DefinitionFormProps) {
  const names = [...namesOf(definition), 'created_at', 'updated_at'];
  const label = (part: string) => (part.startsWith('-') ? `${part.slice(1)}, descending` : part);
  return (
    <ListForm
      {...rest}
      title="Compound indexes"
      noun="compound index"
      intro="Lists filter and sort by several fields at once, in the order in which they are chosen here."
      pointerOf={(index) => `/indexes/${index}`}
      items={definition.indexes ?? []}
      blank={{ fields: [] }}
      onChange={(indexes) => onChange(withHints(definition, { indexes }))}
    >
      {(index, set, messages) => (
        <MultiSelect
          label="Fields in their order"
          data={withChosen(
            names.flatMap((name) => [name, `-${name}`]),
            ...index.fields,
          ).map((value) => ({
            value,
            label: label(value),
          }))}
          value={[...index.fields]}
          error={messages.get('fields')}
          readOnly={rest.isReadOnly}
          searchable
          onChange={(fields) => set({ ...index, fields })}
        />
      )}
    </ListForm>
  );
}

interface Templates {
  readonly gpkTemplate: string;
  readonly gskTemplate: string;
}

interface TemplateProps<Index extends Templates> {
  readonly index: Index;
  readonly messages: ReadonlyMap<string, string>;
  readonly isReadOnly: boolean;
  readonly onChange: (index: Index) => void;
}

function TemplateInputs<Index extends Templates>({ index, messages, isReadOnly, onChange }: TemplateProps<Index>) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextMember
        label="Partition key"
        description="Names the field and no other of the record"
        value={index.gpkTemplate}
        error={messages.get('gpkTemplate')}
        isReadOnly={isReadOnly}
        onChange={(value) => onChange({ ...index, gpkTemplate: value })}
      />
      <TextMember
        label="Sort key"
        description="A field as its first token sorts by that field"
        value={index.gskTemplate}
        error={messages.get('gskTemplate')}
        isReadOnly={isReadOnly}
        onChange={(value) => onChange({ ...index, gskTemplate: value })}
      />
    </SimpleGrid>
  );
}

/** The keys that nearly every index of this kind has. */
function templatesOf(entity: string, field: string): Templates {
  return { gpkTemplate: `org#{org};data#${entity};${field}#{${field}}`, gskTemplate: `${entity}#{id}` };
}

/** Another field, and its keys where they were those of the field before. */
function templatesAfter(index: Templates, entity: string, [from, to]: readonly [string, string]): Templates {
  const { gpkTemplate, gskTemplate } = index;
  const isOwn = JSON.stringify({ gpkTemplate, gskTemplate }) === JSON.stringify(templatesOf(entity, from));
  return isOwn ? templatesOf(entity, to) : { gpkTemplate, gskTemplate };
}

function OwnerIndexes({ definition, onChange, ...rest }: DefinitionFormProps) {
  const { entityName } = definition;
  return (
    <ListForm
      {...rest}
      title="Owner indexes"
      noun="owner index"
      intro="A record belongs to the user whose id the field holds; lists show the records of an owner."
      pointerOf={(index) => `/ownerIndexes/${index}`}
      items={definition.ownerIndexes ?? []}
      blank={{ ownerFieldName: '', ...templatesOf(entityName, '') }}
      onChange={(ownerIndexes) => onChange(withHints(definition, { ownerIndexes }))}
    >
      {(index, set, messages) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <Select
              label="Owner field"
              data={withChosen([...namesOf(definition), 'created_by'], index.ownerFieldName)}
              value={index.ownerFieldName === '' ? null : index.ownerFieldName}
              error={messages.get('ownerFieldName')}
              readOnly={rest.isReadOnly}
              onChange={(ownerFieldName) => {
                const to = ownerFieldName ?? '';
                set({ ...index, ...templatesAfter(index, entityName, [index.ownerFieldName, to]), ownerFieldName: to });
              }}
            />
            <Select
              label="Owner of a record that is created without one"
              data={[
                { value: 'caller', label: 'its creator' },
                { value: 'none', label: 'no user' },
              ]}
              value={index.default ?? 'caller'}
              error={messages.get('default')}
              readOnly={rest.isReadOnly}
              allowDeselect={false}
              onChange={(value) => set(withHints(index, { default: value === 'none' ? value : undefined }))}
            />
          </SimpleGrid>
          <TemplateInputs index={index} messages={messages} isReadOnly={rest.isReadOnly} onChange={set} />
          <Switch
            label="A plain list shows only the caller’s own records"
            checked={index.scopeList === true}
            disabled={rest.isReadOnly}
            error={messages.get('scopeList')}
            onChange={({ currentTarget: { checked } }) => set(withHints(index, { scopeList: checked || undefined }))}
          />
        </>
      )}
    </ListForm>
  );
}

/** The one parent index, as a list of at most one. */
function ParentIndex({ definition, onChange, ...rest }: DefinitionFormProps) {
  const { entityName, parentIndex } = definition;
  return (
    <ListForm
      {...rest}
      title="Parent index"
      noun="parent index"
      intro="Lists show the records of a parent in the order of the sort key."
      pointerOf={() => '/parentIndex'}
      items={parentIndex === undefined ? [] : [parentIndex]}
      atMost={1}
      blank={{ parentFieldName: '', ...templatesOf(entityName, '') }}
      onChange={(items) => onChange(withHints(definition, { parentIndex: items?.[0] }))}
    >
      {(index, set, messages) => (
        <>
          <Select
            label="Parent field"
            data={withChosen(namesOf(definition), index.parentFieldName)}
            value={index.parentFieldName === '' ? null : index.parentFieldName}
            error={messages.get('parentFieldName')}
            readOnly={rest.isReadOnly}
            onChange={(parentFieldName) => {
              const to = parentFieldName ?? '';
              set({ ...index, ...templatesAfter(index, entityName, [index.parentFieldName, to]), parentFieldName: to });
            }}
          />
          <TemplateInputs index={index} messages={messages} isReadOnly={rest.isReadOnly} onChange={set} />
        </>
      )}
    </ListForm>
  );
}

function isWholeNumber({ colType, formula }: Field): boolean {
  const type = typeof formula === 'object' ? formula.type : colType;
  return type === 'integer' || type === 'autoincrement';
}

function KeptAggregates({ definition, onChange, ...rest }: DefinitionFormProps) {
  const sums = (definition.UpdateParams ?? []).filter(isWholeNumber).map(({ name }) => name);
  const labels = new Map([
    ['count', 'number of records'],
    ...sums.flatMap((name) => [
      [`sum:${name}`, `sum of ${name}`] as const,
      [`avg:${name}`, `average of ${name}`] as const,
    ]),
  ]);
  return (
    <ListForm
      {...rest}
      title="Kept aggregates"
      noun="aggregate"
      intro="Figures of groups of records are kept as records are written, so that a dashboard reads them at once. Sums and averages are of fields with whole numbers."
      pointerOf={(index) => `/aggregates/${index}`}
      items={definition.aggregates ?? []}
      atMost={5}
      blank={{ name: '', group: [], measures: ['count'] }}
      onChange={(aggregates) => onChange(withHints(definition, { aggregates }))}
    >
      {(aggregate, set, messages) => (
        <>
          <TextMember
            label="Name of the aggregate"
            value={aggregate.name}
            error={messages.get('name')}
            isReadOnly={rest.isReadOnly}
            onChange={(name) => set({ ...aggregate, name })}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <MultiSelect
              label="Fields that make a group"
              data={withChosen([...namesOf(definition), 'created_by', 'updated_by'], ...aggregate.group)}
              value={[...aggregate.group]}
              error={messages.get('group')}
              readOnly={rest.isReadOnly}
              searchable
              onChange={(group) => set({ ...aggregate, group })}
            />
            <MultiSelect
              label="Figures of a group"
              data={withChosen([...labels.keys()], ...aggregate.measures).map((value) => ({
                value,
                label: labels.get(value) ?? value,
              }))}
              value={[...aggregate.measures]}
              error={messages.get('measures')}
              readOnly={rest.isReadOnly}
              searchable
              onChange={(measures) => set({ ...aggregate, measures })}
            />
          </SimpleGrid>
        </>
      )}
    </ListForm>
  );
}
