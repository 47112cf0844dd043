import { Button, Group, Pill, Popover, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FilterIcon } from '../../../components/icons.tsx';
import classes from '../grid.module.css';
import type { Column } from '../list/columns.ts';
import { type Condition, conditionsOf, conditionText } from '../list/list-search.ts';
import type { List } from '../use-list.ts';
import { conditionWords, filtersOn, type InputKind, instantOf, operatorNamed } from './conditions.ts';

interface Props {
  readonly list: List;
}

function changeConditions({ change }: List, conditions: readonly Condition[]): void {
  change({ f: conditions.length === 0 ? undefined : conditions.map(conditionText) });
}

/** The conditions on fields, each of which can be taken away, in words. */
export function Conditions({ list }: Props) {
  const conditions = conditionsOf(list.search);
  if (conditions.length === 0) return null;
  const byField = new Map(list.all.map((column) => [column.field, column]));
  return (
    <Pill.Group>
      {conditions.map((condition) => {
        const { field, operator, value } = condition;
        const column = byField.get(field);
        const words = column === undefined ? `${field} ${operator} ${value}` : conditionWords(column, condition);
        return (
          <Pill
            key={field}
            withRemoveButton
            className={classes.pill ?? ''}
            removeButtonProps={{ 'aria-label': `Remove the filter: ${words}`, 'aria-hidden': false, tabIndex: 0 }}
            onRemove={() =>
              changeConditions(
                list,
                conditions.filter((one) => one.field !== field),
              )
            }
          >
            {words}
          </Pill>
        );
      })}
    </Pill.Group>
  );
}

/** A form that adds a condition on a field. A field has one; a second one is written as an expression. */
export function AddFilter({ list }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const add = (condition: Condition) => {
    setIsOpen(false);
    changeConditions(list, [...conditionsOf(list.search).filter(({ field }) => field !== condition.field), condition]);
  };
  return (
    <Popover width={300} position="bottom-start" opened={isOpen} onChange={setIsOpen} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<FilterIcon />} onClick={() => setIsOpen((before) => !before)}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm columns={list.all.filter((column) => filtersOn(column) !== undefined)} onAdd={add} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface FormProps {
  readonly columns: readonly Column[];
  readonly onAdd: (condition: Condition) => void;
}

function FilterForm({ columns, onAdd }: FormProps) {
  const [name, setName] = useState(columns[0]?.name ?? '');
  const [operatorName, setOperatorName] = useState<string>();
  const [values, setValues] = useState<readonly [string, string]>(['', '']);
  const column = columns.find((one) => one.name === name);
  const typed = column && filtersOn(column);
  const operator = (column && operatorNamed(column, operatorName ?? '')) ?? typed?.operators[0];
  if (column === undefined || typed === undefined || operator === undefined) return null;
  const isTwo = operator.input === 'two';
  const input =
    operator.input === 'many' ? 'text' : operator.input === undefined || isTwo ? typed.input : operator.input;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const given = (isTwo ? values : values.slice(0, 1)).map((value) =>
      input === 'datetime' ? instantOf(value) : value.trim(),
    );
    if (given.every((value) => value !== ''))
      onAdd({ field: column.field, operator: operator.name, value: given.join(',') });
  };
  const takes = (at: 0 | 1) => (value: string) => setValues(at === 0 ? [value, values[1]] : [values[0], value]);
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Select
          label="Field"
          size="xs"
          data={columns.map((one) => one.name)}
          value={name}
          searchable
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          onChange={(chosen) => {
            setName(chosen ?? name);
            setOperatorName(undefined);
            setValues(['', '']);
          }}
        />
        <Select
          label="Condition"
          size="xs"
          data={typed.operators.map((one) => ({ value: one.name, label: one.words }))}
          value={operator.name}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          onChange={(chosen) => setOperatorName(chosen ?? undefined)}
        />
        <Value
          label={operator.input === 'many' ? 'Values, with commas between them' : isTwo ? 'From' : 'Value'}
          kind={input}
          column={column}
          value={values[0]}
          onChange={takes(0)}
        />
        {isTwo && <Value label="To" kind={input} column={column} value={values[1]} onChange={takes(1)} />}
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            Add the filter
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ValueProps {
  readonly label: string;
  readonly kind: InputKind;
  readonly column: Column;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const inputTypes: Readonly<Record<InputKind, string>> = {
  text: 'text',
  number: 'text',
  date: 'date',
  datetime: 'datetime-local',
  choice: 'text',
  truth: 'text',
};

function Value({ label, kind, column, value, onChange }: ValueProps) {
  const choices = kind === 'truth' ? ['true', 'false'] : kind === 'choice' ? column.choices : undefined;
  if (choices !== undefined)
    return (
      <Select
        label={label}
        size="xs"
        required
        data={choices}
        value={value === '' ? null : value}
        comboboxProps={{ withinPortal: false }}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    );
  return (
    <TextInput
      label={kind === 'datetime' ? `${label}, in UTC` : label}
      size="xs"
      required
      type={inputTypes[kind]}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={column.entity === undefined ? '' : `Id of a ${column.entity}`}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
