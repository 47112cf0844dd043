import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { markedError } from '../refusal/field-error.tsx';
import { isObject } from './schema.ts';
import type { ValueProps } from './value-props.ts';

/** Texts by names that are free, such as the headers of a request. */
export function HeadersInput(props: ValueProps) {
  const { label, value, pointer, isReadOnly, isRequired = false, errorAt, onChange } = props;
  const rows = isObject(value) ? Object.entries(value).map(([name, text]) => [name, String(text)] as const) : [];
  const set = (next: readonly (readonly [string, string])[]) =>
    onChange(next.length === 0 && !isRequired ? undefined : Object.fromEntries(next));
  const replaced = (index: number, row: readonly [string, string]) => rows.map((one, at) => (at === index ? row : one));
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        {errorAt(pointer) !== undefined && (
          <Text size="sm" c="red" role="alert">
            {markedError(errorAt(pointer))}
          </Text>
        )}
        {rows.map(([name, text], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is typed, and the row must not lose the focus
          <Group key={index} align="flex-start" gap="xs" wrap="nowrap">
            <TextInput
              aria-label={`Name ${index + 1}`}
              value={name}
              readOnly={isReadOnly}
              onChange={(event) => set(replaced(index, [event.currentTarget.value, text]))}
            />
            <TextInput
              aria-label={`Value of ${name}`}
              value={text}
              error={errorAt(`${pointer}/${name}`)}
              readOnly={isReadOnly}
              flex={1}
              onChange={(event) => set(replaced(index, [name, event.currentTarget.value]))}
            />
            {!isReadOnly && (
              <Button
                variant="subtle"
                color="red"
                aria-label={`Remove ${name}`}
                onClick={() => set(rows.filter((_, at) => at !== index))}
              >
                Remove
              </Button>
            )}
          </Group>
        ))}
        {!isReadOnly && !rows.some(([name]) => name === '') && (
          <Group>
            <Button variant="default" size="compact-sm" onClick={() => set([...rows, ['', '']])}>
              Add to {label.toLowerCase()}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}
