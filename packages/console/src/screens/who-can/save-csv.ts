import { download } from '../record/save-file.ts';
import { csvOf } from './cells.ts';

/** Gives the user a table as a file. */
export function saveCsv(fileName: string, table: readonly (readonly string[])[]): void {
  download(fileName, new Blob([csvOf(table)], { type: 'text/csv' }));
}
