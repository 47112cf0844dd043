/** A file of records as it was chosen, and the parts of it that are sent. */

import type { ImportResult } from '@freehold/contract/app/records';
import type { Read } from '@freehold/contract/schema';
import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import type { Field } from '../../entities/definition.ts';
import { controlOf } from '../form/inputs.ts';

export type ImportFile =
  | { readonly format: 'csv'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly format: 'jsonl'; readonly columns: readonly string[]; readonly rows: readonly string[] };

/** A row that the platform refuses, by its number from 1, with everything that is wrong with it. */
export type RowErrors = Read<typeof ImportResult>['errors'][number];

/** The field that each column goes to; a column that is not in it is left out. */
export type Mapping = ReadonlyMap<string, string>;

/** In bytes: what the page reads at once. Larger files are sent by a program. */
const fileBytesMax = 32 * 1024 * 1024;

/** Why a file cannot be read, in a sentence. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Reads CSV (RFC 4180, also with semicolons or tabs) or, by its name, JSON Lines. @throws UnreadableFile. */
export async function readImportFile(file: File): Promise<ImportFile> {
  if (file.size > fileBytesMax)
    throw new UnreadableFile('The file has more than 32 MB. Send it to the import route with a program.');
  const text = decode(await file.arrayBuffer());
  const read = /\.(jsonl|ndjson|jsonlines)$/i.test(file.name) ? readJsonLines(text) : readCsv(text);
  if (read.rows.length === 0) throw new UnreadableFile('The file has no rows.');
  return read;
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile('The file is not in UTF-8. Save it in this encoding first.');
  }
}

/** Quotes out of place leave nothing that could be read for certain. */
export function readCsv(text: string): ImportFile {
  try {
    const delimiter = delimiterOf(text);
    const [columns = [], ...rows] = parse(text, { ...csvOptions, delimiter }) as unknown as string[][];
    const repeated = columns.find((column, place) => columns.indexOf(column) !== place);
    if (repeated !== undefined) throw new UnreadableFile(`Two columns are called ${repeated}.`);
    return { format: 'csv', columns, rows };
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableFile(`The CSV cannot be read: ${error.message}.`);
    throw error;
  }
}

const csvOptions = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
};

/** The one by which the header has most columns. */
function delimiterOf(text: string): string {
  const line = /^[\r\n\ufeff]*([^\r\n]*)/.exec(text)?.[1] ?? '';
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  return counts.toSorted((one, other) => other.count - one.count)[0]?.delimiter ?? ',';
}

const rowsLookedAt = 100;

export function readJsonLines(text: string): ImportFile {
  const rows = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const columns = rows.slice(0, rowsLookedAt).flatMap((row) => Object.keys(objectIn(row) ?? {}));
  return { format: 'jsonl', columns: [...new Set(columns)], rows };
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The fields that columns can go to: all but those that the platform fills. */
export function importedFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => controlOf(field) !== 'computed');
}

/** Each column to the field of its name; upper case, blanks and hyphens do not count. No field gets two columns. */
export function mappingFor(columns: readonly string[], fields: readonly Field[]): Mapping {
  const mapping = new Map<string, string>();
  const taken = new Set<string>();
  const pairs = [(one: string) => one, plain].flatMap((form) =>
    columns.map((column) => ({ column, field: fields.find(({ name }) => form(name) === form(column))?.name })),
  );
  for (const { column, field } of pairs) {
    if (field === undefined || mapping.has(column) || taken.has(field)) continue;
    mapping.set(column, field);
    taken.add(field);
  }
  return mapping;
}

export interface Part {
  readonly type: string;
  readonly data: string;
}

/** Some rows of the file, as they are sent. */
export function partOf(file: ImportFile, mapping: Mapping, from: number, to: number): Part {
  if (file.format === 'jsonl')
    return {
      type: 'application/x-ndjson',
      data: file.rows
        .slice(from, to)
        .map((row) => `${renamed(row, mapping)}\n`)
        .join(''),
    };
  const places = file.columns.flatMap((column, place) => (mapping.has(column) ? [place] : []));
  const header = places.map((place) => mapping.get(file.columns[place] ?? '') ?? '');
  const rows = file.rows.slice(from, to).map((cells) => chosenCells(cells, places, file.columns.length));
  return { type: 'text/csv', data: [header, ...rows].map(csvLine).join('') };
}

/** A row with too few or too many cells keeps being wrong, so that the platform refuses it instead of a guess being written. */
function chosenCells(cells: readonly string[], places: readonly number[], count: number): readonly string[] {
  const chosen = places.map((place) => cells[place] ?? '');
  return cells.length === count ? chosen : [...chosen, 'wrong number of cells'];
}

/**
 * A line with its members renamed. A line that is no object, or has a number that would lose digits here, is sent as it
 * is, so that the platform says what is wrong with it.
 */
function renamed(line: string, mapping: Mapping): string {
  const object = objectIn(line);
  if (object === undefined || hasInexactNumber(object)) return line;
  const names = Object.keys(object);
  if (names.every((name) => mapping.get(name) === name)) return line;
  const members = names.flatMap((name) => {
    const field = mapping.get(name);
    return field === undefined ? [] : [[field, object[name]] as const];
  });
  return JSON.stringify(Object.fromEntries(members));
}

function hasInexactNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasInexactNumber);
}

const needsQuotes = /[",\r\n]|^\s|\s$/;

/** One line of CSV (RFC 4180) with its end. */
export function csvLine(cells: readonly string[]): string {
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  const written = cells.map((cell) => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${written.join(',')}\r\n`;
}

/** The failed rows as a file of the kind that was imported, with their row numbers and errors, to be mended and sent again. */
export function failureReport(
  file: ImportFile,
  errors: readonly RowErrors[],
): { readonly name: string; readonly text: string } {
  const sentence = ({ errors: found }: RowErrors) =>
    found.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`)).join('; ');
  if (file.format === 'jsonl')
    return {
      name: 'failed-rows.jsonl',
      text: errors
        .map((one) => `${JSON.stringify({ row: one.row, error: sentence(one), line: file.rows[one.row - 1] })}\n`)
        .join(''),
    };
  const lines = errors.map((one) => {
    const cells = file.rows[one.row - 1] ?? [];
    const padded = file.columns.map((_, place) => cells[place] ?? '');
    return [...padded, ...cells.slice(file.columns.length), String(one.row), sentence(one)];
  });
  return { name: 'failed-rows.csv', text: [[...file.columns, 'row', 'error'], ...lines].map(csvLine).join('') };
}
