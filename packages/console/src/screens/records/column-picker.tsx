import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ChevronIcon } from '../../components/icons.tsx';
import classes from './grid.module.css';
import type { List } from './use-list.ts';

interface Props {
  readonly list: List;
}

/** Which columns are shown, and in which order. This browser remembers it for the entity. */
export function ColumnPicker({ list: { all, columns, showColumns } }: Props) {
  const [typed, setTyped] = useState('');
  const names = columns.map(({ name }) => name);
  const others = all.filter(({ name }) => !names.includes(name));
  const found = [...columns, ...others].filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  const swap = (at: number, by: number) => {
    const moved = [...names];
    [moved[at], moved[at + by]] = [moved[at + by] ?? '', moved[at] ?? ''];
    showColumns(moved);
  };
  return (
    <Popover width={300} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs" rightSection={<ChevronIcon size={12} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <TextInput
          size="xs"
          aria-label="Find a column"
          placeholder="Find a column…"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <ScrollArea.Autosize mah={320} my="xs" type="auto" offsetScrollbars>
          {found.map(({ name }) => {
            const at = names.indexOf(name);
            return (
              <Group key={name} justify="space-between" wrap="nowrap" gap="xs" className={classes.choice}>
                <Checkbox
                  size="xs"
                  label={name}
                  checked={at !== -1}
                  disabled={names.length === 1 && at === 0}
                  onChange={() => showColumns(at === -1 ? [...names, name] : names.filter((one) => one !== name))}
                />
                {at !== -1 && (
                  <Group gap={2} wrap="nowrap">
                    <Move what={`Move ${name} to the left`} isUp isOff={at === 0} onClick={() => swap(at, -1)} />
                    <Move
                      what={`Move ${name} to the right`}
                      isOff={at === names.length - 1}
                      onClick={() => swap(at, 1)}
                    />
                  </Group>
                )}
              </Group>
            );
          })}
        </ScrollArea.Autosize>
        <Button size="xs" variant="subtle" onClick={() => showColumns(undefined)}>
          Show the first columns again
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}

interface MoveProps {
  readonly what: string;
  readonly isUp?: true;
  readonly isOff: boolean;
  readonly onClick: () => void;
}

function Move({ what, isUp, isOff, onClick }: MoveProps) {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={what} disabled={isOff} onClick={onClick}>
      <span className={isUp && classes.up}>
        <ChevronIcon size={12} />
      </span>
    </ActionIcon>
  );
}
