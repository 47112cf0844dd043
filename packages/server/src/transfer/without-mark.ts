const mark = Buffer.from('\ufeff');

/** The bytes of a file without the byte order mark that some programs write before UTF-8. */
export async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < mark.length) continue;
    yield mark.equals(start.subarray(0, mark.length)) ? start.subarray(mark.length) : start;
    start = undefined;
  }
  if (start !== undefined) yield start;
}
