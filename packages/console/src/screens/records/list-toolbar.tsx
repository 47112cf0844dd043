import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { RefreshIcon, SearchIcon } from '../../components/icons.tsx';
import { ColumnPicker } from './column-picker.tsx';
import { firstGrouping, groupingColumns, groupingText } from './figures/groups.ts';
import { TotalsToggle } from './figures/totals.tsx';
import classes from './grid.module.css';
import { AddFilter } from './narrowing/filters.tsx';
import { OrderChoice } from './order-choice.tsx';
import { SavedViews } from './saved-views.tsx';
import type { List } from './use-list.ts';

interface Props {
  readonly list: List;
  /** Names of columns that a policy hides. */
  readonly hidden: ReadonlySet<string>;
  readonly isExpressionOpen: boolean;
  readonly onExpression: () => void;
  readonly onRefresh: () => void;
}

/** The query, and the form of its result. */
export function ListToolbar({ list, hidden, isExpressionOpen, onExpression, onRefresh }: Props) {
  const { actor, entity, search, change } = list;
  const hasSearch = entity.indexes.some(({ kind }) => kind === 'search');
  return (
    <div className={classes.toolbar}>
      {hasSearch && (
        <Words key={search.q === undefined ? 'none' : 'some'} text={search.q} onChange={(q) => change({ q })} />
      )}
      <AddFilter list={list} />
      <Button variant="default" size="xs" aria-expanded={isExpressionOpen} onClick={onExpression}>
        Expression
      </Button>
      {search.g === undefined && (
        <>
          <OrderChoice list={list} />
          <ColumnPicker list={list} />
          <TotalsToggle list={list} hidden={hidden} />
        </>
      )}
      <ChartToggle list={list} hidden={hidden} />
      <SavedViews key={`${actor.org} ${entity.entityName}`} list={list} />
      <Tooltip label="Read the records again">
        <ActionIcon variant="default" size={30} aria-label="Refresh" onClick={onRefresh}>
          <RefreshIcon />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** Shows the records as a chart of groups, or as a list again. */
function ChartToggle({ list: { all, search, change }, hidden }: Pick<Props, 'list' | 'hidden'>) {
  const isChart = search.g !== undefined;
  const first = () => groupingText(firstGrouping(groupingColumns(all, hidden)));
  return (
    <Button
      variant="default"
      size="xs"
      aria-pressed={isChart}
      onClick={() => change({ g: isChart ? undefined : first(), m: undefined })}
    >
      Chart
    </Button>
  );
}

interface WordsProps {
  readonly text: string | undefined;
  readonly onChange: (text: string | undefined) => void;
}

function Words({ text = '', onChange }: WordsProps) {
  const [typed, setTyped] = useState(text);
  const apply = useDebouncedCallback((value: string) => onChange(value.trim() === '' ? undefined : value.trim()), 300);
  return (
    <TextInput
      size="xs"
      className={classes.words}
      aria-label="Search words"
      placeholder="Search words…"
      leftSection={<SearchIcon />}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        apply(value);
      }}
    />
  );
}
