import type { TransferRow } from './transfer-row.ts';

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
