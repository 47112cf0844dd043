/** Writes an entity's records into a file, as a list would show them to the caller. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuthorizedCall } from './caller-access.ts';
import { planList } from './list-plan.ts';
import type { ListQuery } from './list-query.ts';
import { matches } from './list-records.ts';
import { openWalk } from './list-walk.ts';
import { type Presentation, presentRecords } from './present-records.ts';
import type { StoredText } from './record.ts';
import { csvLine } from './transfer/csv-line.ts';
import { recordCells } from './transfer/record-cells.ts';
import type { TransferFormat } from './transfer-format.ts';

export interface ExportRequest {
  readonly format: TransferFormat;
  readonly query: ListQuery;
  readonly presentation: Presentation;
}

/** The text of the file in pieces. An empty one says that records were looked through and none was found. */
export async function* exportRecords(
  call: AuthorizedCall,
  { format, query, presentation }: ExportRequest,
): AsyncGenerator<string> {
  const { projection } = presentation;
  const columns = projection === 'stored' ? call.entity.views.whole() : projection;
  if (format === 'csv') yield csvLine(columns.map(({ as }) => as));
  for await (const items of pagesOf(call, query)) {
    const texts = await presentRecords(call, presentation, items);
    yield texts.map((text) => (format === 'csv' ? csvLine(recordCells(columns, text)) : `${text}\n`)).join('');
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
}

const recordsPerPage = 100;

/** Every record of a list: walks that follow one another, each from where the one before has spent its budget. */
async function* pagesOf(call: AuthorizedCall, query: ListQuery): AsyncGenerator<readonly StoredText[]> {
  const { workspace, entity } = call;
  const plan = planList(entity, workspace, query);
  let position: string | undefined;
  for (;;) {
    const walk = await openWalk(workspace.scope, plan, position);
    while (!walk.isAtEnd() && !walk.isSpent()) {
      const entries = await walk.next(recordsPerPage);
      yield entries.filter((entry) => matches(plan, entry));
      const last = entries.at(-1);
      if (last !== undefined) walk.passed(last.sk);
    }
    if (walk.isAtEnd()) return;
    position = walk.position();
  }
}
