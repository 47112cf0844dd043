import type { InputError } from '@freehold/contract/problem';

/** One record of a file on its way in, or what is wrong with it. The first one is row 1; a header does not count. */
export interface TransferRow {
  readonly row: number;
  readonly read: ReadRow;
}

/** `record` is as a JSON body would be: nothing of the entity is checked. */
export type ReadRow = { readonly record: unknown } | Unreadable;

export interface Unreadable {
  readonly errors: readonly InputError[];
}

/** What is wrong with a row as a whole. */
export function unreadable(code: string, message: string): Unreadable {
  return { errors: [{ pointer: '', code, message }] };
}

/** More than any record may take. */
export const rowBytesMax = 1024 * 1024;

/** The last row of a file: to find the next one, more would have to be read than any row may have. */
export const tooLong = unreadable(
  'too_long',
  `the row has more than ${rowBytesMax} bytes, and nothing from there on was read`,
);
