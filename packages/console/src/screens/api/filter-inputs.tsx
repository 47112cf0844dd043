import type { Parameter } from '@freehold/docs/openapi/openapi';
import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import classes from './api.module.css';

interface Props {
  /** In pairs: a value for each field, and how it is compared. */
  readonly filters: readonly Parameter[];
  readonly inputOf: (parameter: Parameter) => ReactNode;
}

/** Of the fields that were found, this many are shown; an entity may have 200. */
const shownMax = 10;

/** Filters of all fields take and mean the same, and have one schema. */
export function isFilter(parameter: Parameter): boolean {
  return isValue(parameter) || parameter.schema.$ref?.endsWith('/FilterOperator') === true;
}

function isValue({ schema: { $ref } }: Parameter): boolean {
  return $ref?.endsWith('/Filter') === true;
}

/** Filters by fields, made when they are opened. */
export function FilterInputs({ filters, inputOf }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary>Filters by fields</summary>
      {isOpen && <Found filters={filters} inputOf={inputOf} />}
    </details>
  );
}

function Found({ filters, inputOf }: Props) {
  const [words, setWords] = useState('');
  const values = filters.filter(isValue);
  const found = values.filter(({ name }) => name.toLowerCase().includes(words.trim().toLowerCase()));
  const more = found.length - shownMax;
  return (
    <Stack gap="xs" mt="xs">
      {values.length > shownMax && (
        <TextInput
          label="Find a field"
          value={words}
          autoComplete="off"
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />
      )}
      <SimpleGrid cols={2} spacing="xs">
        {found.slice(0, shownMax).flatMap((value) => {
          const operator = filters.find(({ name }) => name === `${value.name}_op`);
          return [inputOf(value), operator === undefined ? null : inputOf(operator)];
        })}
      </SimpleGrid>
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {more} more: find them by their names
        </Text>
      )}
    </Stack>
  );
}
