import { Badge, Button, Checkbox, Group, Pagination, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchIcon } from '../../components/icons.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { counted } from '../../components/words/counted.ts';
import classes from './deploy.module.css';
import { ChangeBadge, ItemName } from './item-name.tsx';
import { comesAlong, keyOf, kindNames, mayBePublished, missingFor } from './items.ts';
import type { Difference } from './queries.ts';
import { Sentences } from './sentences.tsx';

const pageSize = 20;

interface Props {
  readonly items: readonly Difference[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** The items that are not the same in test and in production, some at a time, and the choice of what to publish. */
export function Differences({ items, chosen, onChoose }: Props) {
  const { q = '', page = 1 } = useSearch({ from: '/o/$org/$env/deploy' });
  const navigate = useNavigate();
  const all = new Map(items.map((item) => [keyOf(item), item]));
  const along = comesAlong(all, chosen);
  const words = q.trim().toLowerCase();
  const found = items.filter(({ kind, name }) => `${kindNames[kind]} ${name}`.toLowerCase().includes(words));
  const pages = Math.max(1, Math.ceil(found.length / pageSize));
  const current = Math.min(page, pages);
  const selectable = found.filter(mayBePublished).map(keyOf);
  const search = (next: { readonly q?: string; readonly page?: number }) =>
    void navigate({ to: '.', search: next, replace: true });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <TextInput
          aria-label="Search differences"
          placeholder="Search by kind or name"
          leftSection={<SearchIcon />}
          value={q}
          onChange={({ currentTarget: { value } }) => search(value === '' ? {} : { q: value })}
          className={classes.search}
        />
        {selectable.length > 0 && (
          <Button variant="default" onClick={() => onChoose(new Set([...chosen, ...selectable]))}>
            Select {words === '' ? 'all' : 'these'} {selectable.length}
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {found.length === items.length ? '' : `${found.length} of `}
          {counted(items.length, 'item differs', 'items differ')}
        </Text>
      </Group>
      {found.length === 0 ? (
        <EmptyState title="No difference is called so">Search for a part of the kind or of the name.</EmptyState>
      ) : (
        <Paper withBorder component="ul" p={0} m={0} aria-label="Differences" style={{ listStyle: 'none' }}>
          {found.slice((current - 1) * pageSize, current * pageSize).map((item) => (
            <DifferenceRow
              key={keyOf(item)}
              item={item}
              isChosen={chosen.has(keyOf(item))}
              along={along.get(keyOf(item))}
              brings={missingFor(item, all)}
              onToggle={() => onChoose(toggled(chosen, keyOf(item)))}
            />
          ))}
        </Paper>
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={current}
          onChange={(next) => search({ ...(q === '' ? {} : { q }), page: next })}
          getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
    </Stack>
  );
}

function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  return next;
}

interface RowProps {
  readonly item: Difference;
  readonly isChosen: boolean;
  /** Why it is published with what is chosen; undefined if nothing chosen needs it. */
  readonly along: string | undefined;
  /** What it takes along. */
  readonly brings: Difference['depends_on'];
  readonly onToggle: () => void;
}

function DifferenceRow({ item, isChosen, along, brings, onToggle }: RowProps) {
  const { kind, name, change, staged, edited_since_staged: isEdited } = item;
  const label = `Select ${kindNames[kind].toLowerCase()} ${name}`;
  return (
    <Group component="li" align="flex-start" gap="sm" wrap="nowrap" className={classes.item}>
      {mayBePublished(item) ? (
        <Checkbox
          aria-label={label}
          checked={isChosen || along !== undefined}
          disabled={along !== undefined && !isChosen}
          onChange={onToggle}
          mt={2}
        />
      ) : (
        <Checkbox aria-label={`${label}: it is staged already`} checked disabled readOnly mt={2} />
      )}
      <div style={{ minWidth: 0, flex: 1 }}>
        <Group gap="xs" mb={2}>
          <ItemName item={item} env={change === 'removed' ? 'prod' : 'test'} />
          <ChangeBadge change={change} />
          {staged && (
            <Badge size="sm" variant="default" tt="none">
              {isEdited === true ? 'staged, changed since' : 'staged'}
            </Badge>
          )}
        </Group>
        {along !== undefined && (
          <Text size="sm" fw={500}>
            <Sentence text={`comes along: ${along}`} />
          </Text>
        )}
        <Sentences of={item.summary} losses={item.losses} label={`What becomes of ${name}`} />
        {along === undefined &&
          brings.map((needed) => (
            <Text key={needed.pointer} size="sm" c="dimmed">
              <Sentence
                text={`takes ${kindNames[needed.kind].toLowerCase()} \`${needed.name}\` along, which production lacks: ${needed.reason}`}
              />
            </Text>
          ))}
        {isEdited === true && (
          <Text size="sm" c="dimmed">
            Test has changed since it was staged. Publish it again to stage it as it is now.
          </Text>
        )}
      </div>
    </Group>
  );
}
