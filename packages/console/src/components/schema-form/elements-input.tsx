import { Button, Collapse, Fieldset, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ChevronIcon } from '../icons.tsx';
import { markedError } from '../refusal/field-error.tsx';
import { descriptionOf } from './description-of.tsx';
import { initialOf, isObject, type Schema } from './schema.ts';
import classes from './schema-form.module.css';
import type { ValueProps } from './value-props.ts';

interface Props extends ValueProps {
  readonly element: Schema;
  /** The inputs of an element. */
  readonly render: (element: ValueProps) => ReactNode;
}

/** A list whose elements are objects: a card each, of which those are open that were opened. */
export function ElementsInput({ element, ...props }: Props) {
  const { schema, label, value, pointer, isReadOnly, isRequired = false, errorAt, onChange } = props;
  const elements: readonly unknown[] = Array.isArray(value) ? value : [];
  const [opened, setOpened] = useState<number | undefined>(elements.length === 1 ? 0 : undefined);
  const set = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next);
  const isFull = elements.length >= (schema.maxItems ?? Number.POSITIVE_INFINITY);
  const move = (from: number, to: number) => {
    const others = elements.filter((_, at) => at !== from);
    set([...others.slice(0, to), elements[from], ...others.slice(to)]);
    setOpened(to);
  };
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        {schema.description !== undefined && (
          <Text size="sm" c="dimmed">
            {descriptionOf(schema)}
          </Text>
        )}
        {errorAt(pointer) !== undefined && (
          <Text size="sm" c="red" role="alert">
            {markedError(errorAt(pointer))}
          </Text>
        )}
        {elements.map((one, index) => (
          <Element
            // biome-ignore lint/suspicious/noArrayIndexKey: elements have no other identity than their place
            key={index}
            {...props}
            schema={element}
            label={`${index + 1}. ${summaryOf(one)}`}
            value={one}
            pointer={`${pointer}/${index}`}
            isRequired
            isOpen={opened === index}
            onToggle={() => setOpened(opened === index ? undefined : index)}
            onChange={(next) => set(elements.map((kept, at) => (at === index ? next : kept)))}
            onRemove={() => set(elements.filter((_, at) => at !== index))}
            onUp={index > 0 ? () => move(index, index - 1) : undefined}
            onDown={index < elements.length - 1 ? () => move(index, index + 1) : undefined}
          />
        ))}
        {!isReadOnly && !isFull && (
          <Group>
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => {
                set([...elements, initialOf(element)]);
                setOpened(elements.length);
              }}
            >
              Add to {label.toLowerCase()}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

interface ElementProps extends ValueProps {
  readonly render: (element: ValueProps) => ReactNode;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onRemove: () => void;
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
}

function Element({ render, isOpen, onToggle, onRemove, onUp, onDown, ...props }: ElementProps) {
  const { label, value, pointer, isReadOnly, errorAt } = props;
  const isWrong = hasError(value, pointer, errorAt);
  return (
    <Paper withBorder className={classes.element} {...(isWrong ? { 'data-wrong': true } : {})}>
      <UnstyledButton className={classes.head} aria-expanded={isOpen} onClick={onToggle}>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={500} truncate>
            {label}
          </Text>
          <Group gap="xs" wrap="nowrap">
            {isWrong && (
              <Text size="xs" c="red">
                wrong
              </Text>
            )}
            <ChevronIcon size={12} />
          </Group>
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap="sm" p="sm" pt={0}>
            {render(props)}
            {!isReadOnly && (
              <Group gap="xs">
                {onUp !== undefined && (
                  <Button variant="default" size="compact-sm" onClick={onUp}>
                    Move up
                  </Button>
                )}
                {onDown !== undefined && (
                  <Button variant="default" size="compact-sm" onClick={onDown}>
                    Move down
                  </Button>
                )}
                <Button variant="subtle" color="red" size="compact-sm" onClick={onRemove}>
                  Remove
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}

const shownMembers = 3;

/** What tells an element from the others: its first short texts. */
function summaryOf(element: unknown): string {
  if (!isObject(element)) return JSON.stringify(element);
  const texts = Object.values(element).filter(
    (value) => typeof value === 'string' && value !== '' && value.length < 60,
  );
  return texts.length === 0 ? 'empty' : texts.slice(0, shownMembers).join(', ');
}

/** Whether a sentence is about the value or about something in it. */
function hasError(value: unknown, pointer: string, errorAt: ValueProps['errorAt']): boolean {
  if (errorAt(pointer) !== undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => hasError(member, `${pointer}/${name}`, errorAt));
}
