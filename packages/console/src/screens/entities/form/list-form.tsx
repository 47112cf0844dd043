import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../../../api/problem.ts';
import { messagesAt } from './fields-form.tsx';

interface Props<Item> {
  readonly title: string;
  /** What an item is called on buttons, such as “unique index”. */
  readonly noun: string;
  readonly intro: string;
  readonly items: readonly Item[];
  /** Where an item stands in the definition, as a JSON pointer. */
  readonly pointerOf: (index: number) => string;
  readonly atMost?: number;
  readonly isReadOnly: boolean;
  readonly problem: ApiProblem | undefined;
  /** What a new item is. */
  readonly blank: Item;
  /** An empty list is taken out of the definition. */
  readonly onChange: (items: readonly Item[] | undefined) => void;
  readonly children: (item: Item, set: (item: Item) => void, messages: ReadonlyMap<string, string>) => ReactNode;
}

/** A list of the definition, a card for each item. Nothing where there is none and none can be added. */
export function ListForm<Item>({ items, title, noun, intro, isReadOnly, onChange, ...rest }: Props<Item>) {
  if (isReadOnly && items.length === 0) return null;
  const set = (changed: readonly Item[]) => onChange(changed.length === 0 ? undefined : changed);
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2}>{title}</Title>
      <Text size="sm" c="dimmed">
        {intro}
      </Text>
      {items.map((item, index) => {
        const messages = messagesAt(rest.problem, rest.pointerOf(index));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is known by its place while it is typed
          <Paper key={index} withBorder p="sm">
            <Stack gap="xs">
              {rest.children(item, (changed) => set(items.with(index, changed)), messages)}
              {messages.has('') && (
                <Text size="sm" c="red" role="alert">
                  {messages.get('')}
                </Text>
              )}
              {!isReadOnly && (
                <Group>
                  <Button variant="subtle" color="red" size="compact-sm" onClick={() => set(items.toSpliced(index, 1))}>
                    Remove {noun}
                  </Button>
                </Group>
              )}
            </Stack>
          </Paper>
        );
      })}
      {!isReadOnly && items.length < (rest.atMost ?? Infinity) && (
        <Button variant="default" w="fit-content" onClick={() => set([...items, rest.blank])}>
          Add {noun}
        </Button>
      )}
    </Stack>
  );
}
