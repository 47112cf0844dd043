import type { InputError } from '@freehold/contract/problem';

/** One record of a file on its way in, or what is wrong with it. The first one is row 1; a header does not count. */
export interface TransferRow {
  readonly row: number;
  readonly read: ReadRow;
}

/** `record` is as a JSON body would be: nothing of the entity is checked. */
export type ReadRow = { readonly record: unknown } | { readonly errors: readonly InputError[] };

/** More than any record may take. */
export const rowBytesMax = 1024 * 1024;

/** A row of which nothing can be read; `message` says why. */
export function unreadable(code: string, message: string): ReadRow {
  return { errors: [{ pointer: '', code, message }] };
}

/** Why a file is not read on. */
export const tooLong = `the row has more than ${rowBytesMax} bytes, and what follows it was not read`;
