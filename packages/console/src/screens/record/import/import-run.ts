/** Sends a file to the import route: as a whole to be checked, and part by part to be written. */

import type { ImportProgress as ProgressSchema, ImportResult as ResultSchema } from '@freehold/contract/app/records';
import type { Read } from '@freehold/contract/schema';
import { type Actor, callApp, fetchApp } from '../../../api/app.ts';
import { pathOf } from '../record-queries.ts';
import { type ImportFile, type Mapping, partOf, type RowErrors } from './import-file.ts';

export type ImportResult = Read<typeof ResultSchema>;

export interface Import {
  readonly actor: Actor;
  readonly entity: string;
  readonly file: ImportFile;
  readonly mapping: Mapping;
  /** The unique index by which rows update records; undefined to make a record of each. */
  readonly upsert: string | undefined;
}

/** What the platform would make of the file. Nothing is written. @throws ApiProblem. */
export async function checkImport(
  { actor, entity, file, mapping, upsert }: Import,
  onRows: (rows: number) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  const { type, data } = partOf(file, mapping, 0, file.rows.length);
  const response = await fetchApp(actor, 'POST', pathOf('import', entity), {
    query: { dry_run: true, upsert },
    content: { type, data },
    headers: { Accept: 'application/x-ndjson' },
    signal,
  });
  for await (const line of linesOf(response)) {
    const description = JSON.parse(line) as Read<typeof ProgressSchema>;
    if ('result' in description) return description.result;
    onRows(description.progress.rows);
  }
  throw new Error('The platform broke off before it had checked the whole file. Check it again.');
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let chunk = await reader?.read(); chunk !== undefined && !chunk.done; chunk = await reader?.read()) {
    const lines = `${rest}${chunk.value}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}

export interface ImportState {
  /** The number of rows that were sent and answered. */
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  readonly errors: readonly RowErrors[];
  /** Rows that were passed over after a call got no answer; some may be written. */
  readonly uncertain: number;
}

export const nothingImported: ImportState = { rows: 0, created: 0, updated: 0, failed: 0, errors: [], uncertain: 0 };

/** A reply names the first hundred rows that failed, so files with many such rows are sent in parts that are no longer. */
const rowsWithErrorsMax = 100;
const rowsMax = 1_000;

/** The number of rows that are sent in a call. @param failing How many rows the check found wrong. */
export function rowsOfPart(failing: number): number {
  return failing > rowsWithErrorsMax ? rowsWithErrorsMax : rowsMax;
}

interface Options {
  readonly from: ImportState;
  readonly partRows: number;
  readonly onProgress: (state: ImportState) => void;
  readonly signal: AbortSignal;
}

/** Writes the rows that have no answer yet. Ends early if it is aborted between two calls. @throws ApiProblem. */
export async function runImport({ actor, entity, file, mapping, upsert }: Import, options: Options): Promise<void> {
  const { from, partRows, onProgress, signal } = options;
  let state = from;
  while (state.rows < file.rows.length && !signal.aborted) {
    const to = Math.min(state.rows + partRows, file.rows.length);
    const content = partOf(file, mapping, state.rows, to);
    const { body } = await callApp(actor, 'POST', pathOf('import', entity), { query: { upsert }, content });
    state = added(state, body as ImportResult);
    onProgress(state);
    const { error } = body as ImportResult;
    if (error !== undefined) throw new Error(`The import ended early: ${error.message}`);
  }
}

function added(state: ImportState, result: ImportResult): ImportState {
  const errors = result.errors.map(({ row, errors: found }) => ({ row: row + state.rows, errors: found }));
  return {
    ...state,
    rows: state.rows + result.rows,
    created: state.created + result.created,
    updated: state.updated + result.updated,
    failed: state.failed + result.failed,
    errors: [...state.errors, ...errors],
  };
}

/** Passes over the rows of a call that got no answer. */
export function skipPart(state: ImportState, file: ImportFile, partRows: number): ImportState {
  const skipped = Math.min(partRows, file.rows.length - state.rows);
  return { ...state, rows: state.rows + skipped, uncertain: state.uncertain + skipped };
}
