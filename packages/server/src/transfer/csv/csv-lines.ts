import { CsvError, Parser } from 'csv-parse';
import { rowBytesMax, tooLong, type Unreadable, unreadableFrom } from '../transfer-row.ts';
import { withoutMark } from '../without-mark.ts';

/** A line's cells, with a character for each byte, so that each can be decoded by itself; or why nothing more is read. */
export type CsvLine = { readonly cells: readonly string[]; readonly bytes: number } | Unreadable;

/**
 * Cuts CSV (RFC 4180) into lines and cells. Every kind of line end is taken, a byte order mark and empty lines are
 * skipped. Quotes out of place leave nothing that could be read for certain, so the file ends there.
 */
export async function* csvLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvLine> {
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
  /** How many bytes the file has up to here. */
  readonly end: number;
}

/**
 * What is fed comes out in lines, until `feed` gives false. They do not wait in the parser, whose failure would take
 * along those before it.
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
