/** A file of records on its way to the platform, which reads and writes its rows as they arrive. */
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { AppCalls } from '../app/app-calls.ts';
import { CommandError } from '../frame/command-error.ts';
import { isObject } from '../json-object.ts';
import { csvLine, readCsv } from '../rows/read-csv.ts';

export type RowFormat = 'csv' | 'jsonl';

export const contentTypes = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;

export interface ImportSource {
  /** Undefined for standard input. */
  readonly path: string | undefined;
  readonly stdin: NodeJS.ReadableStream;
  readonly format: RowFormat;
}

export interface ImportResult {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  readonly errors: readonly { readonly row: number; readonly errors: readonly RowError[] }[];
  readonly ignored: readonly string[];
  readonly dry_run: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

interface RowError {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface ImportRequest {
  readonly app: AppCalls;
  readonly entity: string;
  readonly source: ImportSource;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** What has been done so far. */
  progress(text: string): void;
}

/** @throws CommandError for a refusal, and where the reply breaks off. */
export async function importRecords({ app, entity, source, query, progress }: ImportRequest): Promise<ImportResult> {
  const { path, stdin, format } = source;
  const size = path === undefined ? undefined : statSync(path).size;
  let sent = 0;
  const counting = new Transform({
    transform: (chunk: Uint8Array, _, done) => {
      sent += chunk.length;
      done(null, chunk);
    },
  });
  const input = path === undefined ? (stdin as Readable) : createReadStream(path);
  input.on('error', (error) => counting.destroy(error));
  const bytes = Readable.toWeb(input.pipe(counting)) as ReadableStream<Uint8Array>;
  try {
    const response = await app.send(`/import/${encodeURIComponent(entity)}`, {
      method: 'POST',
      query,
      accept: 'application/x-ndjson',
      stream: { type: contentTypes[format], bytes },
    });
    return await resultOf(response, (rows) => {
      const share = size === undefined || size === 0 ? '' : ` ${Math.min(100, Math.floor((100 * sent) / size))} %,`;
      progress(`importing ${entity}:${share} ${rows} rows`);
    });
  } finally {
    input.destroy();
  }
}

async function resultOf(response: Response, progressed: (rows: number) => void): Promise<ImportResult> {
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  try {
    for await (const line of createInterface({ input: body })) {
      const read: unknown = JSON.parse(line);
      if (isObject(read) && isObject(read.result)) return read.result as unknown as ImportResult;
      if (isObject(read) && isObject(read.progress)) progressed(Number(read.progress.rows));
    }
  } catch {
    // Said below.
  }
  throw new CommandError('the connection ended before the import did: some of the rows may be written', {
    code: 'unreachable',
    next: 'import the file again with `--upsert INDEX`, so that no row is written twice',
  });
}

/** Writes the rows with these numbers to a file that can be imported after a correction. */
export async function writeRows(source: ImportSource, numbers: ReadonlySet<number>, to: string): Promise<void> {
  const out = createWriteStream(to);
  const rows = source.format === 'csv' ? csvRows(source, numbers) : jsonRows(source, numbers);
  for await (const row of rows) if (!out.write(row)) await new Promise((resolve) => out.once('drain', resolve));
  out.end();
  await finished(out);
}

async function* csvRows({ path = '' }: ImportSource, numbers: ReadonlySet<number>): AsyncGenerator<string> {
  let row = -1;
  let left = numbers.size;
  for await (const { cells } of readCsv(createReadStream(path, 'utf8'))) {
    row += 1;
    if (row === 0 || numbers.has(row)) yield csvLine(cells);
    if (numbers.has(row)) left -= 1;
    // What comes behind may be what the import could not read.
    if (left === 0) return;
  }
}

async function* jsonRows({ path = '' }: ImportSource, numbers: ReadonlySet<number>): AsyncGenerator<string> {
  let row = 0;
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    if (line.trim() === '') continue;
    row += 1;
    if (numbers.has(row)) yield `${line}\n`;
  }
}
