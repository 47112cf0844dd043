import { Select, Table, Text } from '@mantine/core';
import type { Field } from '../../entities/definition.ts';
import classes from '../record.module.css';
import type { ImportFile, Mapping } from './import-file.ts';

interface Props {
  readonly file: ImportFile;
  readonly fields: readonly Field[];
  readonly mapping: Mapping;
  readonly isReadOnly: boolean;
  readonly onChange: (mapping: Mapping) => void;
}

/** Which field each column goes to, beside an example of its values. */
export function ColumnMapping({ file, fields, mapping, isReadOnly, onChange }: Props) {
  const choose = (column: string, field: string | null) => {
    // A field has one column: the column that was chosen for it last.
    const kept = [...mapping].filter(([other, taken]) => other !== column && taken !== field);
    onChange(new Map(field === null ? kept : [...kept, [column, field]]));
  };
  return (
    <div className={classes.scroll}>
      <Table aria-label="Columns" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Column</Table.Th>
            <Table.Th>First value</Table.Th>
            <Table.Th>Field</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {file.columns.map((column) => (
            <Table.Tr key={column}>
              <Table.Td className={classes.value}>{column}</Table.Td>
              <Table.Td className={classes.example}>
                <Text size="sm" truncate>
                  {exampleOf(file, column)}
                </Text>
              </Table.Td>
              <Table.Td className={classes.choice}>
                <Select
                  aria-label={`Field of the column ${column}`}
                  size="xs"
                  placeholder="Left out"
                  clearable={!isReadOnly}
                  searchable
                  readOnly={isReadOnly}
                  data={fields.map(({ name }) => name)}
                  value={mapping.get(column) ?? null}
                  onChange={(field) => choose(column, field)}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function exampleOf(file: ImportFile, column: string): string {
  if (file.format === 'csv') return file.rows[0]?.[file.columns.indexOf(column)] ?? '';
  try {
    const value = (JSON.parse(file.rows[0] ?? '{}') as Readonly<Record<string, unknown>>)[column];
    return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  } catch {
    return '';
  }
}
