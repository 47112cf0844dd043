import { Popover, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { LockIcon } from '../../../components/icons.tsx';
import classes from '../grid.module.css';
import type { Column } from '../list/columns.ts';
import { sortOf } from '../list/list-search.ts';
import { nextSort, whyUnsorted } from '../list/sorting.ts';
import type { List } from '../use-list.ts';
import { SortMark } from './sort-mark.tsx';

interface Props {
  readonly list: List;
  readonly hidden: ReadonlySet<string>;
}

const directions = { ascending: 'ascending', descending: 'descending' } as const;

/** The names of the columns. A press sorts by a column whose values have an order. At the others it says why not. */
export function GridHeader({ list: { columns, search, change }, hidden }: Props) {
  const keys = sortOf(search);
  return columns.map((column, at) => {
    const { field, name } = column;
    const key = keys.find((one) => one.field === field);
    const order = key === undefined ? undefined : directions[key.descending ? 'descending' : 'ascending'];
    const why = whyUnsorted(column);
    return (
      <th
        key={name}
        scope="col"
        aria-colindex={at + 2}
        aria-sort={order ?? 'none'}
        className={classes.head}
        data-kind={column.kind}
      >
        {why === undefined ? (
          <UnstyledButton className={classes.sort} onClick={() => change({ sort: nextSort(search.sort, field) })}>
            <ColumnName column={column} isHidden={hidden.has(name)} />
            <SortMark order={order} />
          </UnstyledButton>
        ) : (
          <WithoutOrder column={column} why={why} isHidden={hidden.has(name)} />
        )}
      </th>
    );
  });
}

function ColumnName({ column, isHidden }: { readonly column: Column; readonly isHidden: boolean }) {
  return (
    <>
      {isHidden && (
        <Tooltip label="A policy hides this field, at least in the first record">
          <span>
            <LockIcon size={12} />
          </span>
        </Tooltip>
      )}
      <span className={classes.name}>{column.name}</span>
      {column.kind === 'datetime' && <span className={classes.zone}> UTC</span>}
    </>
  );
}

interface WithoutOrderProps {
  readonly column: Column;
  readonly why: string;
  readonly isHidden: boolean;
}

function WithoutOrder({ column, why, isHidden }: WithoutOrderProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover
      width={280}
      position="bottom-start"
      opened={isOpen}
      onChange={setIsOpen}
      withinPortal
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <UnstyledButton className={classes.sort} onClick={() => setIsOpen((before) => !before)}>
          <ColumnName column={column} isHidden={isHidden} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm">
          Not sorted by <code>{column.field}</code>. {why}
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}
