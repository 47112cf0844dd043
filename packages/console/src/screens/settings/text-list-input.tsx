import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CloseIcon } from '../../components/icons.tsx';
import type { ValueInputs } from './setting-form.tsx';

interface Props extends ValueInputs {
  /** The contents of the list, such as `origin`. */
  readonly what: string;
  readonly placeholder: string;
  readonly description: string;
  /** What an empty list means. */
  readonly empty: string;
}

/** A list of texts: each can be removed, and one typed is added. */
export function TextListInput({ value, isReadOnly, errorAt, onChange, what, placeholder, description, empty }: Props) {
  const items = value as readonly string[];
  const [typed, setTyped] = useState('');
  const entry = typed.trim();
  const isListed = items.includes(entry);
  const add = () => {
    if (entry === '' || isListed) return;
    onChange([...items, entry]);
    setTyped('');
  };
  return (
    <Stack gap="xs">
      {items.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      {items.map((item, index) => (
        <Group key={item} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={`${what} ${index + 1}`}
            value={item}
            error={errorAt(`/${index}`)}
            readOnly
            variant="filled"
            flex={1}
          />
          {!isReadOnly && (
            <Button
              variant="subtle"
              color="red"
              size="compact-sm"
              aria-label={`Remove ${item}`}
              leftSection={<CloseIcon size={12} />}
              onClick={() => onChange(items.filter((one) => one !== item))}
            >
              Remove
            </Button>
          )}
        </Group>
      ))}
      {!isReadOnly && (
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={`New ${what}`}
            description={description}
            placeholder={placeholder}
            value={typed}
            error={isListed ? `The list has this ${what} already.` : errorAt('')}
            flex={1}
            autoComplete="off"
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
          <Button variant="default" flex="none" disabled={entry === '' || isListed} onClick={add}>
            Add {what}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
