import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ChangeBadge, ItemName } from './item-name.tsx';
import { type Item, keyOf } from './items.ts';
import { Sentences } from './sentences.tsx';

interface Changed extends Item {
  readonly change: 'added' | 'modified' | 'removed';
  readonly summary: readonly string[];
  readonly losses: readonly string[];
}

const pageSize = 20;

/** Items with what becomes of each, some at a time. */
export function ChangeList({ items }: { readonly items: readonly Changed[] }) {
  const [count, setCount] = useState(pageSize);
  return (
    <Stack gap="sm">
      {items.slice(0, count).map((item) => (
        <div key={keyOf(item)}>
          <Group gap="xs">
            <ItemName item={item} />
            <ChangeBadge change={item.change} />
          </Group>
          <Sentences of={item.summary} losses={item.losses} label={`What becomes of ${item.name}`} />
        </div>
      ))}
      {items.length > count && (
        <Group gap="sm">
          <Button variant="default" size="compact-sm" onClick={() => setCount(count + pageSize)}>
            Show more items
          </Button>
          <Text size="sm" c="dimmed">
            {count} of {items.length}
          </Text>
        </Group>
      )}
    </Stack>
  );
}
