import { isUtf8 } from 'node:buffer';
import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../lib/json-pointer.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { unknownField } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { fieldNamed, isPlatformField, isValueProblem, UnreadText, type ValueProblem } from '../../schema/port.ts';
import { type ReadRow, type TransferRow, unreadable } from '../transfer-row.ts';
import { cellValue } from './cell-value.ts';
import { csvLines } from './csv-lines.ts';

/**
 * Reads CSV whose header line names fields of the entity, or of the platform, in any order.
 * @throws Problem `invalid_request`, `unknown_field`, `validation_failed` where the header is wrong, before any row.
 */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>, entity: Catalog): AsyncGenerator<TransferRow> {
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

type Catalog = Pick<CompiledEntity, 'name' | 'fields' | 'aliases'>;

interface Column {
  readonly name: string;
  readonly read: (text: string) => { readonly value: unknown } | ValueProblem | undefined;
}

function readHeader(cells: readonly string[], entity: Catalog): readonly Column[] {
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

/** How the cells of a column are read. What the platform sets is read as replies show it. */
function readerOf(name: string, entity: Catalog): Column['read'] | undefined {
  const field = fieldNamed(entity, name);
  if (field !== undefined) return (text) => cellValue(field.behaviour, text);
  if (!isPlatformField(name)) return undefined;
  return (text) => (text === '' ? undefined : { value: name === 'version' ? Number(text) : text });
}

function readRow(columns: readonly Column[], cells: readonly string[]): ReadRow {
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
