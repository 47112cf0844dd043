/** The file of an import: the bytes that are sent of it, and its rows by their numbers. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { jsonLines } from '../rows/json-lines.ts';
import { csvLine, readCsv, withoutMark } from '../rows/read-csv.ts';

export type RowFormat = 'csv' | 'jsonl';

export const encodings = ['utf-8', 'windows-1252'] as const;

export interface ImportSource {
  /** Undefined for standard input. */
  readonly path: string | undefined;
  readonly stdin: NodeJS.ReadableStream;
  readonly format: RowFormat;
  readonly encoding: (typeof encodings)[number];
  /** Of CSV. */
  readonly delimiter: string;
}

const pieceCharacters = 65_536;

/**
 * What the platform takes: UTF-8, with commas. A row keeps its number.
 * @throws BrokenRows where the delimiter is another, and the CSV cannot be read.
 */
export async function* sentBytes(
  { encoding, delimiter, format }: Pick<ImportSource, 'encoding' | 'delimiter' | 'format'>,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decoded = encoding === 'utf-8' ? bytes : decodedFrom(encoding, bytes);
  if (format === 'jsonl' || delimiter === ',') {
    yield* decoded;
    return;
  }
  let piece = '';
  // By bytes, so that the platform says in which row some are no UTF-8.
  for await (const { cells } of readCsv(decoded, { delimiter, encoding: 'latin1' })) {
    piece += csvLine(cells);
    if (piece.length < pieceCharacters) continue;
    yield Buffer.from(piece, 'latin1');
    piece = '';
  }
  yield Buffer.from(piece, 'latin1');
}

async function* decodedFrom(encoding: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/**
 * Writes the rows with these numbers to a file that can be imported after a correction: in the encoding of the source and
 * with its delimiter.
 */
export async function writeRows(source: ImportSource, numbers: ReadonlySet<number>, to: string): Promise<void> {
  const rows = source.format === 'csv' ? csvRows(source, numbers) : jsonRows(source, numbers);
  await pipeline(Readable.from(rows), createWriteStream(to));
}

async function* csvRows(
  { path = '', delimiter }: ImportSource,
  numbers: ReadonlySet<number>,
): AsyncGenerator<Uint8Array> {
  let row = -1;
  let left = numbers.size;
  // Byte by byte: a row may be refused since it is in another encoding.
  for await (const { cells } of readCsv(createReadStream(path), { delimiter, encoding: 'latin1' })) {
    row += 1;
    if (row === 0 || numbers.has(row)) yield Buffer.from(csvLine(cells, delimiter), 'latin1');
    if (numbers.has(row)) left -= 1;
    // What comes behind may be what the import could not read.
    if (left === 0) return;
  }
}

async function* jsonRows({ path = '' }: ImportSource, numbers: ReadonlySet<number>): AsyncGenerator<Uint8Array> {
  let row = 0;
  for await (const line of jsonLines(withoutMark(createReadStream(path)))) {
    row += 1;
    if (numbers.has(row)) yield Buffer.concat([line, Buffer.from('\n')]);
  }
}
