import { decodeUtf8, parseStrictJson } from '../../lib/formats/strict-json.ts';
import { Problem } from '../../lib/problem.ts';
import {
  rowBytesMax,
  type TransferRow,
  type TransferredRow,
  tooLong,
  unreadable,
  withoutMark,
} from './transfer-row.ts';

/** Reads JSON Lines: a JSON text a line, held to what a JSON body is held to. Blank lines are skipped, and a byte order mark of the file. */
export async function* jsonlRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TransferRow> {
  let row = 0;
  for await (const line of linesOf(withoutMark(bytes))) {
    row += 1;
    yield { row, bytes: line?.length ?? 0, read: line === undefined ? tooLong : readLine(line) };
  }
}

const newline = 0x0a;

/**
 * The lines of a file that are not blank, without their ends. A line that is too long is the last one, and undefined.
 * Blank ones are passed over here, since handing on each of very many takes the time of other calls.
 */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let line = new Uint8Array();
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end);
      if (line.length + rest.length > rowBytesMax) return yield undefined;
      const whole = line.length === 0 ? rest : append(line, rest);
      if (!isBlank(whole)) yield whole;
      line = new Uint8Array();
      start = end + 1;
    }
    line = append(line, chunk.subarray(start));
    if (line.length > rowBytesMax) return yield undefined;
  }
  if (!isBlank(line)) yield line;
}

/** Bytes and more of them. There is room behind what is given back, so that many small pieces do not cost their square. */
function append(line: Uint8Array<ArrayBuffer>, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = line.length + rest.length;
  const room = line.buffer.byteLength >= length ? line.buffer : new ArrayBuffer(2 * length);
  const appended = new Uint8Array(room, 0, length);
  if (room !== line.buffer) appended.set(line);
  appended.set(rest, line.length);
  return appended;
}

/** Whether a line is made of what JSON takes for white space. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function readLine(line: Uint8Array): TransferredRow {
  try {
    return { record: parseStrictJson(decodeUtf8(line)) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { errors } = error.details;
    return errors === undefined ? unreadable('invalid_json', error.message) : { errors };
  }
}
