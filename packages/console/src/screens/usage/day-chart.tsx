import { Paper, Table, Text, Title } from '@mantine/core';
import charts from '../../components/charts/charts.module.css';
import { ColumnChart } from '../../components/charts/column-chart.tsx';
import { counted } from '../../components/words/counted.ts';

export interface DayCount {
  readonly date: string;
  /** May be negative, where more was removed than added. */
  readonly count: number;
}

interface Props {
  readonly title: string;
  /** The amounts that are counted, in the singular and in the plural. */
  readonly what: readonly [one: string, many: string];
  readonly days: readonly DayCount[];
}

const numbers = new Intl.NumberFormat('en');

/** A bar for each day, and the same as a table. */
export function DayChart({ title, what, days }: Props) {
  const most = Math.max(0, ...days.map(({ count }) => count));
  const sum = days.reduce((total, { count }) => total + count, 0);
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} mb={4}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {counted(sum, ...what)} in {counted(days.length, 'day')}
        {most > 0 && `, at most ${numbers.format(most)} on a day`}
      </Text>
      <ColumnChart
        label={`${title}: ${counted(sum, ...what)} from ${first} to ${last}. The table below has each day.`}
        columns={days.map(({ date, count }) => ({ name: date, value: count, text: counted(count, ...what) }))}
      />
      <DayTable title={title} what={what} days={days} />
    </Paper>
  );
}

function DayTable({ title, what, days }: Props) {
  const [, many] = what;
  const name = many.charAt(0).toUpperCase() + many.slice(1);
  return (
    <details className={charts.table}>
      <summary>Show as a table</summary>
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Day</Table.Th>
            <Table.Th className={charts.number ?? ''}>{name}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ date, count }) => (
            <tr key={date}>
              <td className={Table.classes.td}>{date}</td>
              <td className={`${Table.classes.td} ${charts.number}`}>{numbers.format(count)}</td>
            </tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  );
}
