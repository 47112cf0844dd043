/** Reads a file of records into an entity, row by row, by the rules of creates and updates. */

import type { ConfigReader } from '../config/port.ts';
import { Problem } from '../lib/problem.ts';
import type { AuthorizedCall, BulkWrites, RecordWriteDeps } from '../records/port.ts';
import { bothPolicies, newCreation, policyWith } from '../records/port.ts';
import { csvRows } from './csv/csv-rows.ts';
import { dryRun } from './dry-run.ts';
import { baseOf, type ImportRow, sentFields } from './import-row.ts';
import { type ImportEnd, type ImportFigures, type ImportResult, ImportTally } from './import-tally.ts';
import { jsonlRows } from './jsonl-rows.ts';
import type { RowsAccess, SettledRow } from './plan-rows.ts';
import { rowGroups } from './row-groups.ts';
import type { TransferFormat } from './transfer-format.ts';
import type { TransferRow } from './transfer-row.ts';
import { upsertIndex } from './upsert.ts';
import { createRowWriter, type RowWriter } from './write-rows.ts';

export interface ImportRequest {
  readonly format: TransferFormat;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The unique index whose values say which record a row changes; where there is none it makes one. */
  readonly upsert: string | undefined;
  /** Whether to find out what an import would do, and do nothing. */
  readonly isDry: boolean;
  /** Where the definition comes from that rows are held to: it may change while they come. */
  readonly configs: ConfigReader;
}

/** Says now and then how far it has come, and at the end what has come of it. */
export type Import = AsyncGenerator<ImportFigures, ImportResult>;

/**
 * Rows are read and written in groups, so that a file may be of any length. What it says to have written is on disk.
 * @throws Problem where nothing could be read: for what is asked, or how the file begins.
 */
export async function* importRecords(
  { deps, inTurn }: BulkWrites,
  call: AuthorizedCall,
  request: ImportRequest,
): Import {
  const { format, bytes, isDry } = request;
  const write = openWriter(deps, call, request);
  const rows = format === 'csv' ? csvRows(bytes, call.entity) : jsonlRows(bytes);
  const tally = new ImportTally();
  const isDue = createPace(deps);
  let end: ImportEnd | undefined;
  try {
    for await (const group of rowGroups(rows, deps.rules.has(call.entity.name) ? 1 : rowsPerCommit)) {
      const readable = group.flatMap((one) =>
        readableRow(deps, call, { one, upsert: request.upsert, ignored: tally.ignored }),
      );
      const written = readable.length === 0 ? [] : await inTurn(call, () => write(readable));
      tally.add([...group.flatMap(unreadableRow), ...written].sort((left, right) => left.row - right.row));
      end = endOfFile(group);
      if (isDue(tally.figures)) yield tally.figures;
    }
  } catch (error) {
    // A caller whose rows were written must learn which.
    if (!(error instanceof Problem) || tally.figures.rows === 0) throw error;
    end = error;
  }
  return tally.result(isDry, end);
}

const rowsPerCommit = 100;

function openWriter(
  parts: RecordWriteDeps,
  call: AuthorizedCall,
  { upsert, isDry, configs }: ImportRequest,
): RowWriter {
  const { entity } = call;
  if (upsert !== undefined) upsertIndex(entity, upsert);
  const rules = parts.rules.get(entity.name);
  const options = { upsert, access: accessOfRows(call), latest: () => configs.current(call.workspace.orgCode) };
  if (!isDry) return createRowWriter(parts, call, options);
  const dry = dryRun(parts, call, { keepsValues: upsert !== undefined || rules !== undefined });
  return createRowWriter(dry.parts, dry.call, options);
}

/** A row is decided as the request would be that sends it alone, and as a part of this one. */
function accessOfRows({ entity, access }: AuthorizedCall): RowsAccess {
  return {
    toCreate: (body) => bothPolicies(access.rowsOfBody(body), access.rows({ verb: 'create', entity, body })),
    toUpdate: (id, body) => {
      const rows = access.rows({ verb: 'update', entity, id, body });
      // That there is a record of a row's values is no secret to a caller who may create one.
      return rows && policyWith(rows, { missing: (record, states) => rows.denied(record, undefined, states) });
    },
  };
}

interface ReadableRow extends Pick<ImportRequest, 'upsert'> {
  readonly one: TransferRow;
  readonly ignored: Set<string>;
}

function readableRow(
  parts: RecordWriteDeps,
  { entity }: AuthorizedCall,
  { one: { row, read }, upsert, ignored }: ReadableRow,
): readonly ImportRow[] {
  if ('errors' in read) return [];
  const base = upsert === undefined ? {} : baseOf(read.record);
  const passedOver = new Set<string>();
  const creation = newCreation(parts, sentFields(entity, read.record, passedOver));
  for (const name of passedOver) if (!Object.hasOwn(base, name)) ignored.add(name);
  return [{ row, creation, base }];
}

function unreadableRow({ row, read }: TransferRow): readonly SettledRow[] {
  return 'errors' in read ? [{ row, errors: read.errors }] : [];
}

/** What is wrong with the file where the last of these rows is also the last that can be read. */
function endOfFile(group: readonly TransferRow[]): ImportEnd | undefined {
  const last = group.at(-1);
  if (last === undefined || 'record' in last.read || last.read.endsFile !== true) return undefined;
  const [error] = last.read.errors;
  return error === undefined ? undefined : { code: error.code, message: `row ${last.row}: ${error.message}` };
}

const rowsPerWord = 1000;
const millisecondsPerWord = 1000;

/** Whether it is time again to say how far an import has come. */
function createPace({ clock }: Pick<RecordWriteDeps, 'clock'>): (figures: ImportFigures) => boolean {
  let said = { rows: 0, at: clock.now() };
  return ({ rows }) => {
    const at = clock.now();
    if (rows - said.rows < rowsPerWord && at - said.at < millisecondsPerWord) return false;
    said = { rows, at };
    return true;
  };
}
