/** The lines of a stream that are not blank, cut at line feeds alone, as JSON Lines are: JSON may have U+2028 in its texts. */
export async function* jsonLines(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
      if (!isBlank(line)) yield line;
      rest = [];
      start = end + 1;
    }
    rest.push(Buffer.from(chunk.subarray(start)));
  }
  const line = Buffer.concat(rest);
  if (!isBlank(line)) yield line;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
