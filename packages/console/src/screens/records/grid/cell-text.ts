import type { Column } from '../list/columns.ts';
import type { Row } from '../on-list.ts';
import { recordTitle } from '../record-title.ts';

/** What a cell shows, as text; empty without a value. Times are in UTC, as the API gives and takes them. */
export function cellText(column: Column, row: Row): string {
  const value = row[column.name];
  if (value === undefined || value === null) return '';
  switch (column.kind) {
    case 'lookup':
      return titleOf(value, relatedTo(row, column.field));
    case 'lookups':
      return titlesOf(value, relatedTo(row, column.field)).join(', ');
    case 'datetime':
      return String(value)
        .replace('T', ' ')
        .replace(/(:\d\d)(\.\d+)?Z$/, '$1');
    case 'list':
      return Array.isArray(value) ? value.map(plain).join(', ') : plain(value);
    default:
      return plain(value);
  }
}

/** The value as it is copied: whole, and as the API gives it. */
export function copiedText(column: Column, row: Row): string {
  const value = row[column.name];
  return value === undefined || value === null ? '' : plain(value);
}

function relatedTo(row: Row, field: string): unknown {
  return (row.expand as Readonly<Record<string, unknown>> | undefined)?.[field];
}

function titlesOf(ids: unknown, records: unknown): readonly string[] {
  if (!Array.isArray(ids)) return [plain(ids)];
  const related: readonly unknown[] = Array.isArray(records) ? records : [];
  return ids.map((id, at) => titleOf(id, related[at]));
}

/** A record that is gone, or that the caller may not read, is known by its id alone. */
function titleOf(id: unknown, record: unknown): string {
  return record === null || record === undefined ? plain(id) : recordTitle(record);
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
