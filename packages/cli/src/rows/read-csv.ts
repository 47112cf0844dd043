/** The records of a CSV file (RFC 4180), one after the other, by the same reader and rules as the platform has. */
import { CsvError, Parser } from 'csv-parse';

export interface CsvRecord {
  /** Of its beginning, from 1: a quoted cell may have several lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvOptions {
  readonly delimiter?: string | undefined;
  /** `latin1` has a character for each byte of the file, so that bytes which are no UTF-8 are kept. */
  readonly encoding?: 'utf8' | 'latin1';
}

/** The platform takes no longer row. */
export const rowBytesMax = 1_048_576;

export class BrokenRows extends Error {}

type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** @throws BrokenRows for a quote that is never closed or out of place, or a row that is too long. */
export async function* readCsv(chunks: Chunks, options: CsvOptions = {}): AsyncGenerator<CsvRecord> {
  const { feed, take } = createCutter(options);
  // The bytes behind the last record, and where they begin.
  let rest = Buffer.alloc(0);
  let start = 0;
  let line = 1;
  for await (const chunk of withEnd(chunks)) {
    const fault = await feed(chunk);
    if (chunk !== undefined) rest = Buffer.concat([rest, chunk]);
    for (const { cells, end } of take()) {
      if (end - start > rowBytesMax) throw new BrokenRows(`line ${line}: ${tooLong}`);
      const text = rest.toString('latin1', 0, end - start);
      yield { line: line + emptyLinesOf(text), cells };
      line += lineEndsIn(text);
      rest = rest.subarray(end - start);
      start = end;
    }
    const sentence = rest.length > rowBytesMax ? tooLong : fault && (sentences[fault] ?? 'the row is no CSV');
    if (sentence !== undefined)
      throw new BrokenRows(`line ${line + emptyLinesOf(rest.toString('latin1'))}: ${sentence}`);
  }
}

const tooLong = 'the row is longer than 1 MiB; is a quote left open?';

const sentences: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'text behind a closed quote',
  INVALID_OPENING_QUOTE: 'a quote in a cell without quotes',
};

const lineEnd = /\r\n|\n|\r/g;

function lineEndsIn(text: string): number {
  return text.match(lineEnd)?.length ?? 0;
}

function emptyLinesOf(text: string): number {
  return lineEndsIn(/^[\r\n]*/.exec(text)?.[0] ?? '');
}

interface CutLine {
  readonly cells: readonly string[];
  /** The number of bytes that the file has up to here. */
  readonly end: number;
}

/** `feed` gives the code of a fault. Lines do not wait in the parser, whose failure would take along those before it. */
function createCutter({ delimiter = ',', encoding = 'utf8' }: CsvOptions) {
  let lines: CutLine[] = [];
  const parser = new Parser({
    delimiter,
    encoding,
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
    feed: (chunk: Uint8Array | undefined): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const settle = (error?: Error | null): void => {
          if (error instanceof CsvError) resolve(error.code);
          else if (error) reject(error);
          else resolve(undefined);
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

/** The bytes without a byte order mark, and undefined for their end. */
async function* withEnd(chunks: Chunks): AsyncGenerator<Uint8Array | undefined> {
  yield* withoutMark(chunks);
  yield undefined;
}

const mark = Buffer.from('\ufeff');

/** The bytes of a file in UTF-8 without a byte order mark. */
export async function* withoutMark(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (start === undefined) {
      yield bytes;
      continue;
    }
    start = Buffer.concat([start, bytes]);
    if (start.length < mark.length) continue;
    yield mark.equals(start.subarray(0, mark.length)) ? start.subarray(mark.length) : start;
    start = undefined;
  }
  if (start !== undefined) yield start;
}

/** One line of a CSV file, with its end. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  // A line with nothing on it would be no line.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  const quoted = (cell: string): string =>
    cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return `${cells.map(quoted).join(delimiter)}\r\n`;
}
