import assert from 'node:assert/strict';
import { parseStrictJson } from '../../../lib/formats/strict-json.ts';
import { UnreadText } from '../../../schema/field-types/field-type.ts';
import type { TransferRow } from '../transfer-row.ts';

/** A file as it may come from a connection: its bytes in pieces of this size. */
export async function* pieces(file: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(file);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** The records of all rows, with the codes of its errors in place of a record that could not be read. */
export async function outcomes(rows: AsyncIterable<TransferRow>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { row, read } of rows) {
    assert.equal(row, found.length + 1);
    found.push('record' in read ? recordOrCodes(read.record) : read.errors.map(({ code }) => code));
  }
  return found;
}

function recordOrCodes(record: unknown): unknown {
  const unread = Object.values(record ?? {}).filter((value) => value instanceof UnreadText);
  return unread.length === 0 ? record : unread.map(({ problem }) => problem.code);
}

/** Whether a JSON body may hold it, so that it could have been stored. */
export function isExact(value: unknown): boolean {
  try {
    parseStrictJson(JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
