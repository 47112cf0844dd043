import { createSealer } from '../../../records/port.ts';
import type { Scope } from '../../../store/port.ts';
import type { Row } from '../../../store/table.ts';
import { createRunRows, type OpenRunRows, type Run, storedRuns } from '../run-rows.ts';

export const runRows: OpenRunRows = createRunRows(
  createSealer([{ kid: 'k1', key: Buffer.alloc(32, 1).toString('base64url') }]),
);

/** The runs of a workspace with their values, the first of them first. */
export async function openedRuns(scope: Scope): Promise<readonly Row<Run>[]> {
  const rows = await storedRuns.range(scope, storedRuns.key('').pk, { limit: 1000 });
  const opened = await Promise.all(rows.map(({ sk }) => runRows(scope).read(sk)));
  return opened.filter((row) => row !== undefined);
}
