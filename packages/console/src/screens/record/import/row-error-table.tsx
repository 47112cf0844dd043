import { ScrollArea, Table, Text } from '@mantine/core';
import { Sentence } from '../../../components/sentence.tsx';
import classes from '../record.module.css';
import type { ImportFile, RowErrors } from './import-file.ts';

interface Props {
  readonly file: ImportFile;
  readonly errors: readonly RowErrors[];
  /** The number of rows that failed; the platform names the first of them. */
  readonly failed: number;
}

const rowsShown = 100;

/** The rows that are refused, each with everything that is wrong with it. */
export function RowErrorTable({ file, errors, failed }: Props) {
  if (failed === 0) return null;
  const shown = errors.slice(0, rowsShown);
  return (
    <>
      <ScrollArea.Autosize mah={260}>
        <Table aria-label="Refused rows" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Row</Table.Th>
              <Table.Th>Why</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ row, errors: found }) => (
              <Table.Tr key={row}>
                <Table.Td>{row}</Table.Td>
                <Table.Td className={classes.value}>
                  <Text size="sm" c="dimmed" lineClamp={1}>
                    {textOf(file, row)}
                  </Text>
                  {found.map(({ pointer, message }) => (
                    <Text key={pointer + message} size="sm">
                      <Sentence text={message} />
                    </Text>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {failed > shown.length && (
        <Text size="sm" c="dimmed">
          These are the first {shown.length} of {failed} refused rows.
        </Text>
      )}
    </>
  );
}

function textOf(file: ImportFile, row: number): string {
  const found = file.rows[row - 1];
  return typeof found === 'string' ? found : (found?.join(', ') ?? '');
}
