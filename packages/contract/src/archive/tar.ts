/** Tar files (POSIX ustar), as every `tar` reads and writes them. */

export const tarBlockBytes = 512;

/** What a header says of an entry; `kind` is `0` for a plain file, `5` for a folder, a letter for what describes others. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
  readonly kind: string;
}

/** A file or a folder of an archive, with the bytes of its content. */
export interface TarMember {
  readonly name: string;
  readonly isFolder: boolean;
  readonly content: Uint8Array;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Why bytes are not read as an archive: they are incomplete, or the entry of this name is refused. */
export class TarError extends Error {
  readonly entry: string | undefined;

  constructor(message: string, entry?: string) {
    super(message);
    this.entry = entry;
  }
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

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The header of a plain file for its owner alone, without a time, so that the same content is the same archive.
 * @throws TypeError for a name of more than 99 bytes.
 */
export function tarHeader(name: string, size: number): Bytes {
  return header(encoder.encode(name), size, '0');
}

/** The blocks of a plain file. A name that is too long for a header is written before it, as GNU tar does. */
export function tarFile(name: string, content: Uint8Array): readonly Uint8Array[] {
  const bytes = encoder.encode(name);
  if (bytes.length < places.mode) return [header(bytes, content.length, '0'), ...padded(content)];
  const note = encoder.encode(`${name}\0`);
  return [
    header(encoder.encode('././@LongLink'), note.length, 'L'),
    ...padded(note),
    header(bytes.subarray(0, places.mode - 1), content.length, '0'),
    ...padded(content),
  ];
}

function padded(content: Uint8Array): readonly Uint8Array[] {
  return [content, new Uint8Array(wholeTarBlocks(content.length) - content.length)];
}

function header(name: Uint8Array, size: number, kind: string): Bytes {
  if (name.length >= places.mode) throw new TypeError('the name is too long for the archive');
  const block = new Uint8Array(tarBlockBytes);
  const write = (text: string, at: number): void => block.set(encoder.encode(text), at);
  block.set(name);
  write('0000600\0', places.mode);
  write('0000000\0', places.owner);
  write('0000000\0', places.group);
  // Larger ones are written in binary, as GNU tar and those after it read them.
  if (size <= octalSizeMax) write(`${size.toString(8).padStart(11, '0')}\0`, places.size);
  else {
    block[places.size] = 0x80;
    new DataView(block.buffer).setBigUint64(places.size + 4, BigInt(size));
  }
  write('00000000000\0', places.time);
  write(kind, places.kind);
  write('ustar\x0000', places.magic);
  write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, places.sum);
  return block;
}

/** Undefined where the block is no header. */
export function readTarHeader(block: Uint8Array): TarEntry | undefined {
  if (block.length < tarBlockBytes || octalAt(block, places.sum, 8) !== sumOf(block)) return undefined;
  const size = block[places.size] === 0x80 ? binarySize(block) : octalAt(block, places.size, 12);
  if (!Number.isSafeInteger(size) || size < 0) return undefined;
  const name = textAt(block, 0, places.mode);
  // GNU tar has other things there.
  const isPosix = decoder.decode(block.subarray(places.magic, places.magic + 6)) === 'ustar\0';
  const prefix = isPosix ? textAt(block, places.prefix, 500) : '';
  const kind = String.fromCharCode(block[places.kind] ?? 0);
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, kind: kind === '\0' ? '0' : kind };
}

/**
 * The files and folders of an archive, in order. It has to be complete, with the two empty blocks or one of them at its end.
 * @throws TarError for an archive that is incomplete, a link or a device, and a name that leads out of the folder.
 */
export function* tarMembers(archive: Uint8Array): Generator<TarMember> {
  let longName: string | undefined;
  for (let at = 0; ; ) {
    const block = archive.subarray(at, at + tarBlockBytes);
    if (block.length === tarBlockBytes && block.every((byte) => byte === 0)) return;
    const entry = readTarHeader(block);
    const start = at + tarBlockBytes;
    if (entry === undefined || start + entry.size > archive.length) throw new TarError('it is incomplete');
    const content = archive.subarray(start, start + entry.size);
    at = start + wholeTarBlocks(entry.size);
    if (entry.kind in notes) {
      longName = longTarName(entry.kind, content) ?? longName;
      continue;
    }
    const name = longName ?? entry.name;
    longName = undefined;
    yield { name, isFolder: isFolder(entry.kind, name), content };
  }
}

/** Entries that say something about the next one, or about all. */
const notes: Readonly<Record<string, true>> = { x: true, g: true, L: true };

/** Links lead out of the archive. */
function isFolder(kind: string, name: string): boolean {
  const shown = name.slice(0, 200);
  // Some systems separate by backslashes, and unpack such a name elsewhere.
  if (/^\/|\\/.test(name) || name.split('/').includes('..'))
    throw new TarError(`\`${shown}\` leads out of its folder`, name);
  if (kind !== '0' && kind !== '5') throw new TarError(`\`${shown}\` is neither a file nor a folder`, name);
  return kind === '5';
}

/**
 * The name of the next entry, where it is too long for a header or no ASCII: from a pax record (`x`, IEEE 1003.1) or from
 * what GNU tar puts before it (`L`). Undefined where nothing is said of it.
 */
export function longTarName(kind: string, content: Uint8Array): string | undefined {
  if (kind === 'L') return textAt(content, 0, content.length);
  if (kind !== 'x') return undefined;
  let name: string | undefined;
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(0x20, at);
    const bytes = Number(decoder.decode(content.subarray(at, Math.max(at, blank))));
    // Each record says how long it is; what does not is left to the name in the header.
    if (blank < at || !Number.isSafeInteger(bytes) || bytes < 5) return name;
    const record = decoder.decode(content.subarray(blank + 1, at + bytes - 1));
    if (record.startsWith('path=')) name = record.slice('path='.length);
    at += bytes;
  }
  return name;
}

function textAt(block: Uint8Array, from: number, to: number): string {
  return decoder.decode(block.subarray(from, to)).replace(/\0.*$/s, '');
}

function octalAt(block: Uint8Array, from: number, bytes: number): number {
  return Number.parseInt(decoder.decode(block.subarray(from, from + bytes)).trim(), 8);
}

function binarySize(block: Uint8Array): number {
  return Number(new DataView(block.buffer, block.byteOffset, block.byteLength).getBigUint64(places.size + 4));
}

/** The sum of a header's bytes, its own field counted as blanks. */
function sumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, place) => sum + (place >= places.sum && place < places.sum + 8 ? 32 : byte), 0);
}
