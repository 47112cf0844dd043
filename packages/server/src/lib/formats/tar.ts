/** The headers of tar files (POSIX ustar), as every `tar` reads and writes them. */

export const tarBlockBytes = 512;

/** What a header says of an entry; `kind` is `0` for a plain file, `5` for a folder, a letter for what describes others. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
  readonly kind: string;
}

export function wholeTarBlocks(size: number): number {
  return Math.ceil(size / tarBlockBytes) * tarBlockBytes;
}

/** Places of a header's fields. */
const places = {
  mode: 100,
  owner: 108,
  group: 116,
  size: 124,
  time: 136,
  sum: 148,
  kind: 156,
  magic: 257,
  prefix: 345,
} as const;

/** Eleven octal digits. */
const octalSizeMax = 8 ** 11 - 1;

/** The header of a plain file for its owner alone, without a time, so that the same content is the same archive. */
export function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) >= places.mode) throw new TypeError('the name is too long for the archive');
  const header = Buffer.alloc(tarBlockBytes);
  header.write(name);
  header.write('0000600\0', places.mode);
  header.write('0000000\0', places.owner);
  header.write('0000000\0', places.group);
  // Larger ones are written in binary, as GNU tar and those after it read them.
  if (size <= octalSizeMax) header.write(`${size.toString(8).padStart(11, '0')}\0`, places.size);
  else {
    header[places.size] = 0x80;
    header.writeBigUInt64BE(BigInt(size), places.size + 4);
  }
  header.write('00000000000\0', places.time);
  header.write('0', places.kind);
  header.write('ustar\x0000', places.magic);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, places.sum);
  return header;
}

/** Undefined where the block is no header. */
export function readTarHeader(header: Buffer): TarEntry | undefined {
  const sum = Number.parseInt(header.toString('latin1', places.sum, places.sum + 8).trim(), 8);
  if (sum !== sumOf(header)) return undefined;
  const isBinary = header[places.size] === 0x80;
  const size = isBinary
    ? Number(header.readBigUInt64BE(places.size + 4))
    : Number.parseInt(header.toString('latin1', places.size, places.size + 12).trim(), 8);
  if (!Number.isSafeInteger(size) || size < 0) return undefined;
  const name = textAt(header, 0, places.mode);
  // GNU tar has other things there.
  const prefix =
    header.toString('latin1', places.magic, places.magic + 6) === 'ustar\0' ? textAt(header, places.prefix, 500) : '';
  const kind = header.toString('latin1', places.kind, places.kind + 1);
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, kind: kind === '\0' ? '0' : kind };
}

/**
 * The name of the next entry, where it is too long for a header or no ASCII: from a pax record (`x`, IEEE 1003.1) or from
 * what GNU tar puts before it (`L`). Undefined where nothing is said of it.
 */
export function longTarName(kind: string, content: Buffer): string | undefined {
  if (kind === 'L') return textAt(content, 0, content.length);
  if (kind !== 'x') return undefined;
  let name: string | undefined;
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(' ', at);
    const bytes = Number(content.toString('latin1', at, blank));
    // Each record says how long it is; what does not is left to the name in the header.
    if (blank < at || !Number.isSafeInteger(bytes) || bytes < 5) return name;
    const record = content.toString('utf8', blank + 1, at + bytes - 1);
    if (record.startsWith('path=')) name = record.slice('path='.length);
    at += bytes;
  }
  return name;
}

function textAt(header: Buffer, from: number, to: number): string {
  return header.toString('utf8', from, to).replace(/\0.*$/s, '');
}

/** The sum of a header's bytes, its own field counted as blanks. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, place) => sum + (place >= places.sum && place < places.sum + 8 ? 32 : byte), 0);
}
