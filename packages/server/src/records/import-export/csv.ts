import { isUtf8 } from 'node:buffer';
import type { InputError } from '@freehold/contract/problem';
import { CsvError, Parser } from 'csv-parse';
import { parseStrictJson } from '../../lib/formats/strict-json.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import {
  type CompiledEntity,
  type CompiledField,
  type FieldValue,
  fieldNamed,
  isPlatformField,
  isValueProblem,
  type Projection,
  UnreadText,
  type ValueProblem,
} from '../../schema/port.ts';
import { unknownField } from '../record.ts';
import {
  rowBytesMax,
  type TransferRow,
  type TransferredRow,
  tooLong,
  type UnreadableRow,
  unreadable,
  unreadableFrom,
  withoutMark,
} from './transfer-row.ts';

type FieldBehaviour = CompiledField['behaviour'];

/**
 * Reads CSV whose header line names fields of the entity, or of the platform, in any order.
 * @throws Problem `invalid_request`, `unknown_field`, `validation_failed` where the header is wrong, before any row.
 */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>, entity: CsvFields): AsyncGenerator<TransferRow> {
  let columns: readonly Column[] | undefined;
  let row = 0;
  for await (const line of csvLines(bytes)) {
    if (columns === undefined) {
      if ('errors' in line) throw new Problem('invalid_request', noHeader, { errors: line.errors });
      columns = readHeader(line.cells, entity);
      continue;
    }
    row += 1;
    yield 'errors' in line
      ? { row, bytes: 0, read: line }
      : { row, bytes: line.bytes, read: readRow(columns, line.cells) };
  }
  if (columns === undefined) throw new Problem('invalid_request', noHeader);
}

const noHeader = 'the file does not begin with a header line';

type CsvFields = Pick<CompiledEntity, 'name' | 'fields' | 'aliases'>;

interface Column {
  readonly name: string;
  readonly read: (text: string) => { readonly value: unknown } | ValueProblem | undefined;
}

function readHeader(cells: readonly string[], entity: CsvFields): readonly Column[] {
  const columns: Column[] = [];
  const errors: InputError[] = [];
  for (const [index, cell] of cells.slice(0, columnsMax).entries()) {
    const name = Buffer.from(cell, 'latin1').toString();
    const read = readerOf(name, entity);
    const pointer = pointerTo(name);
    if (name === '') errors.push({ pointer, code: 'required', message: `column ${index + 1} has no name` });
    else if (read === undefined) errors.push(unknownField(entity.name, name));
    else if (columns.some((column) => column.name === name))
      errors.push({ pointer, code: 'duplicate', message: `two columns are named \`${name}\`` });
    else columns.push({ name, read });
  }
  if (errors.length > 0) throw invalidBody(errors);
  return columns;
}

/** More than there can be names: a longer header has a mistake among these, and need not be looked at to its end. */
const columnsMax = 1000;

/** The way the cells of a column are read. What the platform sets is read as replies show it. */
function readerOf(name: string, entity: CsvFields): Column['read'] | undefined {
  const field = fieldNamed(entity, name);
  if (field !== undefined) return (text) => cellValue(field.behaviour, text);
  if (!isPlatformField(name)) return undefined;
  return (text) => (text === '' ? undefined : { value: name === 'version' ? Number(text) : text });
}

function readRow(columns: readonly Column[], cells: readonly string[]): TransferredRow {
  if (cells.length !== columns.length)
    return unreadable('wrong_length', `the row has ${cells.length} cells where the header has ${columns.length}`);
  const record: Record<string, unknown> = {};
  for (const [index, { name, read }] of columns.entries()) {
    const text = decode(cells[index] ?? '');
    const cell = typeof text === 'string' ? read(text) : text;
    if (cell === undefined) continue;
    record[name] = isValueProblem(cell) ? new UnreadText(typeof text === 'string' ? text : '', cell) : cell.value;
  }
  return { record };
}

/** The text of a cell of which each character is a byte. */
function decode(cell: string): string | ValueProblem {
  const bytes = Buffer.from(cell, 'latin1');
  if (!isUtf8(bytes)) return { code: 'invalid_utf8', message: 'is not valid UTF-8' };
  const text = bytes.toString();
  return text.includes('\0') ? { code: 'invalid_character', message: 'contains the character U+0000' } : text;
}

/** A line's cells, with a character for each byte, so that each can be decoded by itself; or why nothing more is read. */
type CsvLine = { readonly cells: readonly string[]; readonly bytes: number } | UnreadableRow;

/**
 * Cuts CSV (RFC 4180) into lines and cells. Every kind of line end is taken, a byte order mark and empty lines are
 * skipped. Quotes out of place leave nothing that could be read for certain, so the file ends there.
 */
async function* csvLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvLine> {
  const { feed, take } = createCutter();
  let fed = 0;
  let lineStart = 0;
  for await (const chunk of chunksOf(bytes)) {
    const isWhole = await feed(chunk);
    for (const { cells, end } of take()) {
      const length = end - lineStart;
      if (length > rowBytesMax) return yield tooLong;
      yield { cells, bytes: length };
      lineStart = end;
    }
    if (!isWhole) return yield misquoted;
    fed += chunk?.length ?? 0;
    if (fed - lineStart > rowBytesMax) return yield tooLong;
  }
}

const misquoted = unreadableFrom('invalid_csv', 'the row has a quote that is out of place or not closed');

interface CutLine {
  readonly cells: readonly string[];
  /** The number of bytes that the file has up to here. */
  readonly end: number;
}

/**
 * Cuts its input into lines, until `feed` gives false. They do not wait in the parser, whose failure would take along
 * those before it.
 */
function createCutter() {
  let lines: CutLine[] = [];
  const parser = new Parser({
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (cells: string[], { bytes }) => {
      lines.push({ cells, end: bytes });
      return null;
    },
  });
  // Also passed to the callbacks of `feed`.
  parser.on('error', () => undefined);
  return {
    feed: (chunk: Uint8Array | undefined): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const settle = (error?: Error | null): void => {
          if (error instanceof CsvError) resolve(false);
          else if (error) reject(error);
          else resolve(true);
        };
        if (chunk === undefined) parser.end(settle);
        else parser.write(chunk, settle);
      }),
    take: (): readonly CutLine[] => {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/** The bytes, and undefined for their end. */
async function* chunksOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  yield* withoutMark(bytes);
  yield undefined;
}

/** The value of the text of a cell. An empty cell is a value that was not sent. */
function cellValue(behaviour: FieldBehaviour, text: string): { readonly value: unknown } | ValueProblem | undefined {
  if (text === '') return undefined;
  // Spreadsheets write truth values in capitals.
  if (behaviour.schema.type === 'boolean' && /^(TRUE|FALSE)$/.test(text)) return { value: text === 'TRUE' };
  if (behaviour.parseQuery !== undefined) return behaviour.parseQuery(text);
  return isJson(behaviour) ? parseJson(text) : { value: text };
}

/** The text of a cell that `cellValue` reads this value from; an empty text and no value look alike. */
export function cellText(behaviour: FieldBehaviour, value: FieldValue | undefined): string {
  if (value === undefined) return '';
  return isJson(behaviour) || typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether the values are of more than one type, so that their texts have to say which. */
function isJson({ parseQuery, isSecret }: FieldBehaviour): boolean {
  return parseQuery === undefined && isSecret !== true;
}

function parseJson(text: string): { readonly value: unknown } | ValueProblem {
  try {
    return { value: parseStrictJson(text) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: 'invalid_json', message: `must be JSON: ${error.message}` };
  }
}

/** A record's cells, one for each member of the view that its JSON text was made by. */
export function recordCells(columns: Projection, text: string): readonly string[] {
  const shown: Readonly<Record<string, FieldValue | null>> = JSON.parse(text);
  return columns.map((member) => cellOf(member, shown[member.as]));
}

/**
 * The type of values that the platform sets or that were cast follows from the value; a record that was looked up is
 * JSON.
 */
function cellOf(member: Projection[number], value: FieldValue | null | undefined): string {
  if (value === undefined) return '';
  if ('entity' in member) return JSON.stringify(value);
  if (value === null) return '';
  return member.behaviour === undefined ? String(value) : cellText(member.behaviour, value);
}
