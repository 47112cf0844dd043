import { Paper, Table, Text, Title } from '@mantine/core';
import { counted } from '../../components/words/counted.ts';
import classes from './usage.module.css';

export interface DayCount {
  readonly date: string;
  /** May be negative, where more was removed than added. */
  readonly count: number;
}

interface Props {
  readonly title: string;
  /** What is counted, in the singular and in the plural. */
  readonly what: readonly [one: string, many: string];
  readonly days: readonly DayCount[];
}

const numbers = new Intl.NumberFormat('en');
const height = 100;
const width = 600;

/** A bar for each day, and the same as a table. */
export function DayChart({ title, what, days }: Props) {
  const most = Math.max(0, ...days.map(({ count }) => count));
  const least = Math.min(0, ...days.map(({ count }) => count));
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
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className={classes.chart}
        role="img"
        aria-label={`${title}: ${counted(sum, ...what)} from ${first} to ${last}. The table below has each day.`}
      >
        <Bars days={days} what={what} most={most} least={least} />
      </svg>
      <div className={classes.axis} aria-hidden="true">
        <span>{first}</span>
        <span>{last}</span>
      </div>
      <DayTable title={title} what={what} days={days} />
    </Paper>
  );
}

interface BarsProps extends Pick<Props, 'days' | 'what'> {
  readonly most: number;
  readonly least: number;
}

function Bars({ days, what, most, least }: BarsProps) {
  const scale = height / Math.max(1, most - least);
  const zero = most * scale;
  const step = width / Math.max(1, days.length);
  return (
    <>
      {days.map(({ date, count }, index) => {
        const tall = count === 0 ? 1 : Math.abs(count) * scale;
        return (
          <rect
            key={date}
            x={index * step}
            y={count < 0 ? zero : Math.max(0, Math.min(height - 1, zero - tall))}
            width={step * 0.8}
            height={tall}
            fill={count < 0 ? 'var(--mantine-color-orange-filled)' : 'var(--mantine-primary-color-filled)'}
            opacity={count === 0 ? 0.25 : 1}
          >
            <title>{`${date}: ${counted(count, ...what)}`}</title>
          </rect>
        );
      })}
    </>
  );
}

function DayTable({ title, what, days }: Props) {
  const [, many] = what;
  const name = many.charAt(0).toUpperCase() + many.slice(1);
  return (
    <details className={classes.table}>
      <summary>Show as a table</summary>
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Day</Table.Th>
            <Table.Th className={classes.number ?? ''}>{name}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ date, count }) => (
            <tr key={date}>
              <td className={Table.classes.td}>{date}</td>
              <td className={`${Table.classes.td} ${classes.number}`}>{numbers.format(count)}</td>
            </tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  );
}
