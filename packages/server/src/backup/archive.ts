/** A tar file, as every `tar` lists and unpacks it: of plain files, for their owner alone. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Where the bytes of an entry lie in the archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

const blockBytes = 512;
const chunkBytes = 1024 * 1024;

/** Appends the content of a file, and says how long it is and what its SHA-256 is. The end is at `end`. */
export async function appendEntry(
  archive: FileHandle,
  at: number,
  { name, content }: { readonly name: string; readonly content: FileHandle },
): Promise<{ readonly bytes: number; readonly sha256: string; readonly end: number }> {
  const { size } = await content.stat();
  await writeAll(archive, headerOf(name, size), at);
  const start = at + blockBytes;
  const sha256 = await pour(content, archive, { from: 0, size, to: start });
  const end = start + wholeBlocks(size);
  await writeAll(archive, Buffer.alloc(end - start - size), start + size);
  return { bytes: size, sha256, end };
}

/** Puts a short text where room was left for it: `room` bytes, its own header included. */
export async function fillEntry(
  archive: FileHandle,
  { name, text, room }: { readonly name: string; readonly text: string; readonly room: number },
): Promise<void> {
  const content = Buffer.alloc(room - blockBytes, '\n');
  if (Buffer.byteLength(text) > content.length) throw new Error(`\`${name}\` has no room in the archive`);
  content.write(text);
  await writeAll(archive, Buffer.concat([headerOf(name, content.length), content]), 0);
}

/** Two empty blocks end an archive. */
export async function endArchive(archive: FileHandle, at: number): Promise<void> {
  await writeAll(archive, Buffer.alloc(2 * blockBytes), at);
}

/** Every entry, in order. Throws where the file is no such archive, or only its beginning. */
export async function entriesOf(archive: FileHandle): Promise<readonly ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (let at = 0; ; ) {
    const header = Buffer.alloc(blockBytes);
    if ((await archive.read(header, 0, blockBytes, at)).bytesRead < blockBytes) throw new Error('it is cut short');
    if (header.every((byte) => byte === 0)) return entries;
    const entry = { ...readHeader(header), start: at + blockBytes };
    entries.push(entry);
    at = entry.start + wholeBlocks(entry.size);
  }
}

/** Copies bytes between two files, and gives their SHA-256. */
export async function pour(
  source: FileHandle,
  target: FileHandle,
  { from, size, to }: { readonly from: number; readonly size: number; readonly to: number },
): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(size, 1)));
  for (let done = 0; done < size; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, size - done), from + done);
    if (bytesRead === 0) throw new Error('it is cut short');
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await writeAll(target, chunk, to + done);
    done += bytesRead;
  }
  return hash.digest('hex');
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

function wholeBlocks(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes;
}

/** Places of a header's fields (POSIX ustar). */
const places = { mode: 100, owner: 108, group: 116, size: 124, time: 136, sum: 148, kind: 156, magic: 257 } as const;

/** Eleven octal digits. */
const octalSizeMax = 8 ** 11 - 1;

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(name);
  header.write('0000600\0', places.mode);
  header.write('0000000\0', places.owner);
  header.write('0000000\0', places.group);
  // Larger ones are told in binary, as GNU tar and those after it read them.
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

function readHeader(header: Buffer): Pick<ArchiveEntry, 'name' | 'size'> {
  const sum = Number.parseInt(header.toString('latin1', places.sum, places.sum + 6), 8);
  if (sum !== sumOf(header)) throw new Error('it is damaged, or no backup');
  const name = header.toString('utf8', 0, places.mode).replace(/\0.*$/s, '');
  const isBinary = header[places.size] === 0x80;
  const size = isBinary
    ? Number(header.readBigUInt64BE(places.size + 4))
    : Number.parseInt(header.toString('latin1', places.size, places.size + 11), 8);
  if (!Number.isSafeInteger(size)) throw new Error('it is damaged, or no backup');
  return { name, size };
}

/** The sum of a header's bytes, its own field counted as blanks. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, place) => sum + (place >= places.sum && place < places.sum + 8 ? 32 : byte), 0);
}
