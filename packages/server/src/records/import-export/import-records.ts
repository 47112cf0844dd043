/** Reads a file of records into an entity, row by row, by the rules of creates and updates. */
import type { ImportResult as ImportSchema } from '@freehold/contract/app/records';
import type { InputError } from '@freehold/contract/problem';
import type { Read } from '@freehold/contract/schema';
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { Problem, reportedErrors } from '../../lib/problem.ts';
import { TooLarge } from '../../store/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { bothPolicies, policyWith } from '../record-policy.ts';
import type { BulkWrites } from '../record-runtime.ts';
import { newCreation } from '../writing/plan-writes.ts';
import type { RecordWriteDeps } from '../writing/record-write-deps.ts';
import { callAt, type RecordCall } from '../writing/write-loop.ts';
import { csvRows } from './csv.ts';
import { dryRun } from './dry-run.ts';
import { jsonlRows } from './jsonl-rows.ts';
import {
  baseOf,
  type ImportRow,
  planRows,
  type RowsAccess,
  type RowsPlan,
  type RowsRequest,
  refusalErrors,
  type SettledRow,
  sentFields,
  upsertIndex,
} from './plan-rows.ts';
import { rowGroups, type TransferFormat, type TransferRow } from './transfer-row.ts';

export interface ImportRequest {
  readonly format: TransferFormat;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The unique index whose values say which record a row changes; where there is none it makes one. */
  readonly upsert: string | undefined;
  /** Whether to find out what an import would do, and do nothing. */
  readonly isDry: boolean;
  /** The source of the definition that rows are held to: it may change while they come. */
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

/** The fault of the file where the last of these rows is also the last that can be read. */
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
  let reported = { rows: 0, at: clock.now() };
  return ({ rows }) => {
    const at = clock.now();
    if (rows - reported.rows < rowsPerWord && at - reported.at < millisecondsPerWord) return false;
    reported = { rows, at };
    return true;
  };
}

/** Writes rows in as few commits as can be, and tells what became of each, in their order. */
type RowWriter = (rows: readonly ImportRow[]) => Promise<readonly SettledRow[]>;

interface RowWriterOptions extends Omit<RowsRequest, 'rows'> {
  /** The configuration as it is by now. */
  readonly latest: () => MaybePromise<ConfigSet>;
}

function createRowWriter(parts: RecordWriteDeps, call: RecordCall, options: RowWriterOptions): RowWriter {
  let current = call;

  const writeFirst = async (rows: readonly ImportRow[]): Promise<Written> => {
    current = await callAt(current, await options.latest());
    const { plan } = await parts.writeLoop(current, [call.entity.name], async (config) =>
      planRows(parts, await callAt(current, config), { ...options, rows }),
    );
    return plan;
  };

  /** A commit that is refused as a whole is made again in halves, so that no row costs its neighbours. */
  const writeSome = async (rows: readonly ImportRow[]): Promise<Written> => {
    try {
      return await writeFirst(rows);
    } catch (error) {
      const errors = refusalOfRows(error);
      if (rows.length === 1) return { settled: rows.map(({ row }) => ({ row, errors })), rest: [] };
      const half = Math.ceil(rows.length / 2);
      return { settled: await writeAll(rows.slice(0, half)), rest: rows.slice(half) };
    }
  };

  const writeAll: RowWriter = async (rows) => {
    const all: SettledRow[] = [];
    let left = rows;
    while (left.length > 0) {
      const { settled, rest } = await writeSome(left);
      all.push(...settled);
      left = rest;
    }
    return all;
  };
  return writeAll;
}

type Written = Pick<RowsPlan, 'settled' | 'rest'>;

/** @throws what has nothing to do with the rows: a failure, or that the entity is gone. */
function refusalOfRows(error: unknown): readonly InputError[] {
  if (error instanceof TooLarge)
    return [{ pointer: '', code: 'too_large', message: 'the record would be larger than one write may be' }];
  if (error instanceof Problem && error.code === 'not_found') throw error;
  return refusalErrors(error);
}

type ImportResult = Read<typeof ImportSchema>;
/** The extent to which it has come. */
type ImportFigures = Pick<ImportResult, 'rows' | 'created' | 'updated' | 'failed'>;
export type RowErrors = ImportResult['errors'][number];
/** Why it ended before its file did. */
type ImportEnd = NonNullable<ImportResult['error']>;

const errorsMax = 100;

/** One row may hold a megabyte of wrong names; a hundred such rows must not be kept and sent back. */
const errorCharactersMax = 1024 * 1024;

export class ImportTally {
  readonly ignored = new Set<string>();
  readonly #errors: RowErrors[] = [];
  #created = 0;
  #updated = 0;
  #failed = 0;
  #errorCharacters = 0;

  get figures(): ImportFigures {
    const [created, updated, failed] = [this.#created, this.#updated, this.#failed];
    return { rows: created + updated + failed, created, updated, failed };
  }

  add(settled: readonly SettledRow[]): void {
    for (const one of settled) {
      if ('errors' in one) {
        this.#failed += 1;
        this.#tellOf(one);
      } else if (one.write.before === undefined) this.#created += 1;
      else this.#updated += 1;
    }
  }

  result(isDry: boolean, end?: ImportEnd): ImportResult {
    return {
      ...this.figures,
      errors: this.#errors,
      ignored: [...this.ignored],
      dry_run: isDry,
      ...(end === undefined ? {} : { error: { code: end.code, message: end.message } }),
    };
  }

  #tellOf(failed: RowErrors): void {
    if (this.#errors.length === errorsMax || this.#errorCharacters >= errorCharactersMax) return;
    const errors = reportedErrors(failed.errors);
    this.#errors.push({ row: failed.row, errors });
    this.#errorCharacters += JSON.stringify(errors).length;
  }
}
