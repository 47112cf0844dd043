import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ChevronIcon, CloseIcon } from '../../components/icons.tsx';
import classes from './grid.module.css';
import { keepViews, keptViews, type SavedView } from './kept.ts';
import type { List } from './use-list.ts';

interface Props {
  readonly list: List;
}

/** Lists under names. A view is a part of the address: filters, words, order, columns, and what is figured out of it. */
export function SavedViews({ list: { actor, entity, search, change } }: Props) {
  const of = { org: actor.org, entity: entity.entityName };
  const [isOpen, setIsOpen] = useState(false);
  const [views, setViews] = useState(() => keptViews(of));
  const keep = (to: readonly SavedView[]) => {
    keepViews(of, to);
    setViews(to);
  };
  const save = (name: string) => {
    const { r: _, e: __, ...shown } = search;
    keep([...views.filter((view) => view.name !== name), { name, search: shown }]);
  };
  const show = ({ f, filter, q, sort, c, t, g, m }: SavedView['search']) => {
    setIsOpen(false);
    change({ f, filter, q, sort, c, t, g, m });
  };
  return (
    <Popover width={300} position="bottom-end" opened={isOpen} onChange={setIsOpen} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          rightSection={<ChevronIcon size={12} />}
          onClick={() => {
            // Another tab may have saved one.
            setViews(keptViews(of));
            setIsOpen((before) => !before);
          }}
        >
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Stack gap={4}>
          {views.map((view) => (
            <Group key={view.name} wrap="nowrap" gap={4} justify="space-between">
              <UnstyledButton className={classes.view} onClick={() => show(view.search)}>
                {view.name}
              </UnstyledButton>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => keep(views.filter(({ name }) => name !== view.name))}
              >
                <CloseIcon size={12} />
              </ActionIcon>
            </Group>
          ))}
          <SaveView onSave={save} />
          <Text size="xs" c="dimmed">
            Views are kept in this browser only. To show others a list, send them the address of this page.
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function SaveView({ onSave }: { readonly onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    setName('');
  };
  return (
    <form onSubmit={submit}>
      <Group gap={4} wrap="nowrap" align="flex-end">
        <TextInput
          size="xs"
          label="Name of the view"
          required
          maxLength={60}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          className={classes.grow}
        />
        <Button type="submit" size="xs" variant="default">
          Save
        </Button>
      </Group>
    </form>
  );
}
