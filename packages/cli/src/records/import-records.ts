/** A file of records on its way to the platform, which reads and writes its rows as they arrive. */
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { AppCalls } from '../app/app-calls.ts';
import { CommandError } from '../frame/command-error.ts';
import { isObject } from '../json-object.ts';
import { jsonLines } from '../rows/json-lines.ts';
import { BrokenRows } from '../rows/read-csv.ts';
import { type ImportSource, sentBytes } from './row-source.ts';

export const contentTypes = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;

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
  /** The progress so far. */
  progress(text: string): void;
}

/** @throws CommandError for a refusal, and where the reply breaks off. */
export async function importRecords({ app, entity, source, query, progress }: ImportRequest): Promise<ImportResult> {
  const { path, stdin, format } = source;
  const size = path === undefined ? undefined : statSync(path).size;
  const input = path === undefined ? stdin : createReadStream(path);
  let sent = 0;
  let fault: unknown;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of input) {
        sent += chunk.length;
        yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      }
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* sentBytes(source, counted());
    } catch (error) {
      fault ??= error;
      throw error;
    }
  }
  try {
    const response = await app.send(`/import/${encodeURIComponent(entity)}`, {
      method: 'POST',
      query,
      accept: 'application/x-ndjson',
      stream: { type: contentTypes[format], bytes: ReadableStream.from(body()) },
    });
    return await resultOf(response, (rows) => {
      const share = size === undefined || size === 0 ? '' : ` ${Math.min(100, Math.floor((100 * sent) / size))} %,`;
      progress(`importing ${entity}:${share} ${rows} rows`);
    });
  } catch (error) {
    throw fault === undefined ? withEncoding(error) : unreadable(fault);
  } finally {
    (input as Readable).destroy();
  }
}

/** A header in another encoding has names that no entity has. */
function withEncoding(error: unknown): unknown {
  if (!(error instanceof CommandError) || !JSON.stringify(error.details).includes('\ufffd')) return error;
  return new CommandError(error.message, { ...error.details, next: encodingHint });
}

export const encodingHint = 'the file is not in UTF-8: name its encoding, as in `--encoding windows-1252`';

/** The connection ended since the file did. */
function unreadable(fault: unknown): CommandError {
  if (!(fault instanceof BrokenRows))
    return new CommandError(`the file cannot be read: ${fault instanceof Error ? fault.message : String(fault)}`, {
      code: 'wrong_usage',
    });
  return new CommandError(`the file cannot be read to its end: ${fault.message}`, {
    code: 'invalid_csv',
    lines: ['rows before it may be written'],
    next: 'correct the file, and import it again with `--upsert INDEX`, so that no row is written twice',
  });
}

async function resultOf(response: Response, progressed: (rows: number) => void): Promise<ImportResult> {
  try {
    for await (const line of jsonLines(response.body ?? [])) {
      const read: unknown = JSON.parse(line.toString());
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
