import { csvOf } from './cells.ts';

/** Gives the user a table as a file. */
export function saveCsv(fileName: string, table: readonly (readonly string[])[]): void {
  const address = URL.createObjectURL(new Blob([csvOf(table)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
