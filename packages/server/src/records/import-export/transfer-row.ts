import type { InputError } from '@freehold/contract/problem';

/** The format of a file of records: comma-separated values (RFC 4180), or a JSON text a line. */
export type TransferFormat = 'csv' | 'jsonl';

/** One record of a file on its way in, or what is wrong with it. The first one is row 1; a header does not count. */
export interface TransferRow {
  readonly row: number;
  readonly bytes: number;
  readonly read: TransferredRow;
}

/** `record` is as a JSON body would be, with an `UnreadText` for a cell without a value: nothing of the entity is checked. */
export type TransferredRow = { readonly record: unknown } | UnreadableRow;

export interface UnreadableRow {
  readonly errors: readonly InputError[];
  /** Set where nothing behind the row can be read. */
  readonly endsFile?: true;
}

export function unreadable(code: string, message: string): UnreadableRow {
  return { errors: [{ pointer: '', code, message }] };
}

/** The faults of a file from a row on. */
export function unreadableFrom(code: string, message: string): UnreadableRow {
  return { ...unreadable(code, `${message}; the rest of the file was not read`), endsFile: true };
}

/** More than any record may take. */
export const rowBytesMax = 1024 * 1024;

/** The last row of a file: to find the next one, more would have to be read than any row may have. */
export const tooLong = unreadableFrom('too_long', `the row has more than ${rowBytesMax} bytes`);

const mark = Buffer.from('\ufeff');

/** The bytes of a file without the byte order mark that some programs write before UTF-8. */
export async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < mark.length) continue;
    yield mark.equals(start.subarray(0, mark.length)) ? start.subarray(mark.length) : start;
    start = undefined;
  }
  if (start !== undefined) yield start;
}

/** Puts rows together that may be held in memory and written at once. */
export async function* rowGroups(
  rows: AsyncIterable<TransferRow>,
  rowsMax: number,
): AsyncGenerator<readonly TransferRow[]> {
  let group: TransferRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    group.push(row);
    bytes += row.bytes;
    if (group.length < rowsMax && bytes < groupBytes) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

const groupBytes = 256 * 1024;
