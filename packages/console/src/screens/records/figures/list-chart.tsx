import { Alert, Anchor, Button, Group, Paper, Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query';
import { Bar, rangeOf } from '../../../components/charts/bar.tsx';
import charts from '../../../components/charts/charts.module.css';
import { ColumnChart } from '../../../components/charts/column-chart.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Sentence } from '../../../components/sentence.tsx';
import { counted } from '../../../components/words/counted.ts';
import { Refusal } from '../denial.tsx';
import type { Column } from '../list/columns.ts';
import { conditionsOf, conditionText } from '../list/list-search.ts';
import type { List } from '../use-list.ts';
import { type GroupPage, namesQuery } from './figure-queries.ts';
import {
  conditionOfGroup,
  type GroupValue,
  groupingColumns,
  groupingOf,
  groupingText,
  readGrouping,
} from './groups.ts';
import { type FigureValue, figures, figureText, isInstant, isNumeric, measureWords, memberOf } from './measures.ts';
import { reachWords } from './part-words.ts';
import { partsBetween, type TimeUnit, timeUnits } from './time-parts.ts';

interface Props {
  readonly list: List;
  /** Names of columns that a policy hides. */
  readonly hidden: ReadonlySet<string>;
  readonly groups: UseInfiniteQueryResult<{ readonly pages: readonly GroupPage[] }, Error>;
}

/** The records of a list as bars, one for each group of them, and as a table. */
export function ListChart({ list, hidden, groups }: Props) {
  const { data, error } = groups;
  return (
    <Paper withBorder p="md" component="section" aria-label={`Chart of ${list.entity.entityName}`}>
      <Stack gap="sm">
        <Choices list={list} hidden={hidden} />
        {data === undefined && error === null && (
          <div aria-busy="true">
            <Skeleton height={260} />
          </div>
        )}
        {error !== null && (
          <Stack gap="xs" align="flex-start">
            <Refusal error={error} />
            <Button variant="default" size="xs" onClick={() => void groups.refetch()}>
              Try again
            </Button>
          </Stack>
        )}
        {data !== undefined && <Figures list={list} pages={data.pages} />}
        {groups.hasNextPage && (
          <Button
            variant="default"
            size="xs"
            style={{ alignSelf: 'flex-start' }}
            loading={groups.isFetchingNextPage}
            onClick={() => void groups.fetchNextPage()}
          >
            Show more groups
          </Button>
        )}
      </Stack>
    </Paper>
  );
}

function Choices({ list: { all, search, change }, hidden }: Pick<Props, 'list' | 'hidden'>) {
  const { field, unit } = readGrouping(search.g ?? '');
  const { m = 'count' } = search;
  const columns = groupingColumns(all, hidden);
  const numeric = all.filter((column) => isNumeric(column) && !hidden.has(column.name));
  const measures = [
    'count',
    ...numeric.flatMap((column) => figures.map((figure) => `${figure}:${column.field}`)),
    ...columns.map((column) => `distinct:${column.field}`),
  ];
  const group = (to: { readonly field: string; readonly unit: TimeUnit | undefined }) =>
    change({ g: groupingText(to) });
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label="Group by"
        size="xs"
        w={190}
        searchable
        allowDeselect={false}
        data={columns.map((column) => ({ value: column.field, label: column.name }))}
        value={field}
        onChange={(chosen) => {
          const column = columns.find((one) => one.field === chosen);
          if (column !== undefined) group(groupingOf(column));
        }}
      />
      {unit !== undefined && (
        <Select
          label="Each"
          size="xs"
          w={120}
          allowDeselect={false}
          data={timeUnits}
          value={unit}
          onChange={(chosen) => group({ field, unit: timeUnits.find((one) => one === chosen) ?? unit })}
        />
      )}
      <Select
        label="Figure"
        size="xs"
        w={220}
        searchable
        allowDeselect={false}
        data={[...new Set(measures)].map((value) => ({ value, label: measureWords(value) }))}
        value={m}
        onChange={(chosen) => change({ m: chosen === null || chosen === 'count' ? undefined : chosen })}
      />
    </Group>
  );
}

interface Row {
  readonly value: GroupValue;
  readonly name: string;
  readonly figure: FigureValue;
  /** The number of its records. */
  readonly count: number;
}

function Figures({ list, pages }: { readonly list: List; readonly pages: readonly GroupPage[] }) {
  const { search, all, actor } = list;
  const { g = '', m = 'count' } = search;
  const { field, unit } = readGrouping(g);
  const column = all.find((one) => one.field === field);
  const [group, measure] = [memberOf(g), memberOf(m)];
  const items = pages.flatMap((page) => page.items);
  const ids = column?.kind === 'lookup' ? items.flatMap((item) => item.group[group] ?? []).map(String) : [];
  const names = useQuery(namesQuery(actor, column?.entity ?? '', ids));
  const rows = items.map((item): Row => {
    const value = item.group[group] ?? null;
    const name = value === null ? 'no value' : (names.data?.get(String(value)) ?? String(value));
    return { value, name, figure: item.values[measure], count: Number(item.values.count ?? 0) };
  });
  const last = pages.at(-1);
  const records = rows.reduce((sum, { count }) => sum + count, 0);
  const isWhole = last?.nexttoken === null && last.partial_reason === undefined;
  const [, most] = rangeOf(rows.filter(({ value }) => value !== null).map(numberOf));
  if (rows.length === 0)
    return (
      <EmptyState title="No record is in this list">
        There is nothing to show of {list.entity.entityName} by these conditions.
      </EmptyState>
    );
  const title = `${measureWords(m)} by ${groupingWords(g)}`;
  return (
    <>
      {last?.partial_reason !== undefined && (
        <Alert color="yellow" role="note" title="Not the whole list">
          These are figures {reachWords[last.partial_reason]} alone. A filter leaves fewer to look at.
        </Alert>
      )}
      <Text size="sm" c="dimmed" role="status">
        {title}: {isWhole ? counted(rows.length, 'group') : `the first ${counted(rows.length, 'group')}`}
        {isWhole && ` of ${counted(records, 'record')}`}
        {unit === undefined ? ', the greatest first' : `, at most ${figureText(most)} in a ${unit}`}
        {unit !== undefined && column !== undefined && isInstant(column) && ', in UTC'}
      </Text>
      {[...new Set(pages.flatMap(({ notes = [] }) => notes))].map((note) => (
        <Text key={note} size="sm">
          <Sentence text={note} />
        </Text>
      ))}
      {unit === undefined ? (
        <GroupTable list={list} column={column} title={title} rows={rows} hasBars />
      ) : (
        <Columns list={list} column={column} title={title} unit={unit} rows={rows} />
      )}
    </>
  );
}

const numberOf = ({ figure }: Row): number => (typeof figure === 'number' ? figure : 0);

/** `month of due` for `month(due)`. */
function groupingWords(text: string): string {
  const { field, unit } = readGrouping(text);
  return unit === undefined ? field : `${unit} of ${field}`;
}

interface TableProps {
  readonly list: List;
  readonly column: Column | undefined;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly hasBars?: true;
}

/** Parts of time as columns in their order, with gaps where there are no records. */
function Columns({ unit, rows, ...shown }: TableProps & { readonly unit: TimeUnit }) {
  const inTime = rows.filter(({ value }) => value !== null);
  const without = rows.find(({ value }) => value === null);
  const byName = new Map(inTime.map((row) => [row.name, row]));
  const [first = '', last = ''] = [inTime[0]?.name, inTime.at(-1)?.name];
  const columns = partsBetween(unit, first, last).map((name) => {
    const figure = byName.get(name)?.figure;
    return { name, value: typeof figure === 'number' ? figure : undefined, text: figureText(figure) };
  });
  return (
    <>
      {columns.length > 0 && (
        <ColumnChart
          label={`${shown.title}, from ${first} to ${last}. The table below has each ${unit}.`}
          columns={columns}
        />
      )}
      {without !== undefined && (
        <Text size="sm">
          {counted(without.count, 'record')} without a value {without.count === 1 ? 'is' : 'are'} in no column.
        </Text>
      )}
      <details className={charts.table} open={columns.length === 0}>
        <summary>Show as a table</summary>
        <GroupTable {...shown} rows={rows} />
      </details>
    </>
  );
}

function GroupTable({ list, column, title, rows, hasBars }: TableProps) {
  const { g = '', m = 'count' } = list.search;
  const isCount = m === 'count';
  const range = rangeOf(rows.map(numberOf));
  const cell = Table.classes.td ?? '';
  return (
    <Table.ScrollContainer type="native" minWidth={280}>
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{groupingWords(g)}</Table.Th>
            <Table.Th className={charts.number ?? ''}>{measureWords(m)}</Table.Th>
            {hasBars && <Table.Th w="50%" aria-hidden="true" />}
            {!isCount && <Table.Th className={charts.number ?? ''}>Records</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <tr key={String(row.value === null) + String(row.value)}>
              <td className={cell}>
                <GroupName list={list} column={column} row={row} />
              </td>
              <td className={`${cell} ${charts.number}`}>{figureText(row.figure)}</td>
              {hasBars && (
                <td className={`${cell} ${charts.bar}`} aria-hidden="true">
                  {typeof row.figure === 'number' && <Bar value={row.figure} range={range} />}
                </td>
              )}
              {!isCount && <td className={`${cell} ${charts.number}`}>{figureText(row.count)}</td>}
            </tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The name of a group, which leads to the list of its records. */
function GroupName({ list, column, row }: Pick<TableProps, 'list' | 'column'> & { readonly row: Row }) {
  const { search, change } = list;
  const grouping = readGrouping(search.g ?? '');
  const condition = column === undefined ? undefined : conditionOfGroup(grouping, column, row.value);
  // Two conditions on a field cannot be met beside each other.
  const others = conditionsOf(search).filter(({ field }) => field !== grouping.field);
  if (condition === undefined || others.length < conditionsOf(search).length) return row.name;
  const show = () => change({ f: [...others, condition].map(conditionText), g: undefined, m: undefined });
  return (
    <Anchor component="button" type="button" size="sm" ta="start" title="Show these records" onClick={show}>
      {row.name}
    </Anchor>
  );
}
