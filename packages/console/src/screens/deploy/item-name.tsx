import { Anchor, Badge, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { type Item, kindNames } from './items.ts';

interface Props {
  readonly item: Item;
  /** Where the item can be looked at; left out, its name is no link. */
  readonly env?: 'test' | 'prod' | undefined;
}

/** What an item is, and its name, which leads to its screen where it has one. */
export function ItemName({ item: { kind, name }, env }: Props) {
  const { org } = usePlace();
  return (
    <Text component="span" size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text component="span" size="sm" c="dimmed">
        {kindNames[kind]}{' '}
      </Text>
      {kind === 'entity' && env !== undefined ? (
        <Anchor component={Link} to={`/o/${org}/${env}/entities/${name}`} size="sm" fw={600}>
          {name}
        </Anchor>
      ) : (
        <strong>{name}</strong>
      )}
    </Text>
  );
}

const looks = {
  added: { word: 'new', color: 'teal' },
  modified: { word: 'changed', color: 'blue' },
  removed: { word: 'removed', color: 'red' },
} as const;

export function ChangeBadge({ change }: { readonly change: keyof typeof looks }) {
  const { word, color } = looks[change];
  return (
    <Badge size="sm" variant="dot" color={color} tt="none">
      {word}
    </Badge>
  );
}
