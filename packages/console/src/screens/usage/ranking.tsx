import { Paper, Table, Text, Title } from '@mantine/core';
import { Bar, rangeOf } from '../../components/charts/bar.tsx';
import classes from '../../components/charts/charts.module.css';

const numbers = new Intl.NumberFormat('en');

export interface Ranked {
  readonly name: string;
  readonly values: readonly number[];
}

interface Props {
  readonly title: string;
  /** What has the names, and what each value is. The bars are of the first value. */
  readonly columns: readonly string[];
  readonly rows: readonly Ranked[];
  /** The number of rows, if not all are here. */
  readonly all: number;
  readonly empty: string;
}

/** Rows with their numbers, the largest first, and a bar beside each. */
export function Ranking({ title, columns, rows, all, empty }: Props) {
  const range = rangeOf(rows.map(({ values: [first = 0] }) => first));
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <Table.ScrollContainer type="native" minWidth={360}>
          <Table aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column, index) => (
                  <Table.Th key={column} className={index === 0 ? '' : (classes.number ?? '')}>
                    {column}
                  </Table.Th>
                ))}
                <Table.Th className={classes.bar ?? ''} aria-hidden="true" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ name, values }) => (
                <tr key={name}>
                  <td className={Table.classes.td}>{name}</td>
                  {values.map((value, index) => (
                    <td key={columns[index + 1]} className={`${Table.classes.td} ${classes.number}`}>
                      {numbers.format(value)}
                    </td>
                  ))}
                  <td className={`${Table.classes.td} ${classes.bar}`} aria-hidden="true">
                    <Bar value={values[0] ?? 0} range={range} />
                  </td>
                </tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {all > rows.length && (
        <Text size="xs" c="dimmed">
          The first {rows.length} of {numbers.format(all)}. An export has all of them.
        </Text>
      )}
    </Paper>
  );
}
