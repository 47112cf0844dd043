import type { InputError } from '@freehold/contract/problem';

/** One record of a file on its way in, or what is wrong with it. The first one is row 1; a header does not count. */
export interface TransferRow {
  readonly row: number;
  /** How many bytes of the file it takes. */
  readonly bytes: number;
  readonly read: ReadRow;
}

/** `record` is as a JSON body would be, with an `UnreadText` for a cell without a value: nothing of the entity is checked. */
export type ReadRow = { readonly record: unknown } | Unreadable;

export interface Unreadable {
  readonly errors: readonly InputError[];
  /** Where the file is such that nothing behind the row can be read. */
  readonly endsFile?: true;
}

/** What is wrong with a row as a whole. */
export function unreadable(code: string, message: string): Unreadable {
  return { errors: [{ pointer: '', code, message }] };
}

/** What is wrong with a file from a row on. */
export function unreadableFrom(code: string, message: string): Unreadable {
  return { ...unreadable(code, `${message}; the rest of the file was not read`), endsFile: true };
}

/** More than any record may take. */
export const rowBytesMax = 1024 * 1024;

/** The last row of a file: to find the next one, more would have to be read than any row may have. */
export const tooLong = unreadableFrom('too_long', `the row has more than ${rowBytesMax} bytes`);
