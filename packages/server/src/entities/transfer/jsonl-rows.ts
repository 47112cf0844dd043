import { Problem } from '../../lib/problem.ts';
import { decodeUtf8, parseStrictJson } from '../../lib/strict-json.ts';
import { type ReadRow, rowBytesMax, type TransferRow, tooLong, unreadable } from './transfer-row.ts';

/** Reads JSON Lines: a JSON text a line, held to what a JSON body is held to. Blank lines are skipped. */
export async function* jsonlRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TransferRow> {
  let row = 0;
  for await (const line of linesOf(bytes)) {
    if (line !== undefined && isBlank(line)) continue;
    row += 1;
    yield { row, read: line === undefined ? unreadable('too_long', tooLong) : readLine(line) };
  }
}

const newline = 0x0a;

/** The lines of a file, without their ends. One that is too long is the last one, and undefined. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let started: Uint8Array[] = [];
  let startedBytes = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end);
      if (startedBytes + rest.length > rowBytesMax) return yield undefined;
      yield startedBytes === 0 ? rest : Buffer.concat([...started, rest]);
      started = [];
      startedBytes = 0;
      start = end + 1;
    }
    started.push(chunk.subarray(start));
    startedBytes += chunk.length - start;
    if (startedBytes > rowBytesMax) return yield undefined;
  }
  if (startedBytes > 0) yield Buffer.concat(started);
}

/** Whether a line is made of what JSON takes for white space. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function readLine(line: Uint8Array): ReadRow {
  try {
    return { record: parseStrictJson(decodeUtf8(line)) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { errors } = error.details;
    return errors === undefined ? unreadable('invalid_json', error.message) : { errors };
  }
}
