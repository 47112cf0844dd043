/** A tar file, as every `tar` lists and unpacks it: of plain files, for their owner alone. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import {
  tarBlockBytes as blockBytes,
  tarHeader as headerOf,
  readTarHeader,
  wholeTarBlocks as wholeBlocks,
} from '@freehold/contract/archive/tar';
import { dataVersion } from '../store/data-version.ts';

/** The place of an entry's bytes in the archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

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
  if (Buffer.byteLength(text) > content.length) throw new Error(`\`${name}\` is larger than its place in the archive`);
  content.write(text);
  await writeAll(archive, Buffer.concat([headerOf(name, content.length), content]), 0);
}

/** Two empty blocks end an archive. */
export async function endArchive(archive: FileHandle, at: number): Promise<void> {
  await writeAll(archive, Buffer.alloc(2 * blockBytes), at);
}

/** A backup has fewer: more are not kept in memory. */
const entriesMax = 100;

/** Every entry, in order. Throws where the file is no such archive, or only its beginning, or has a link, folder or note. */
export async function entriesOf(archive: FileHandle): Promise<readonly ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (let at = 0; ; ) {
    const header = Buffer.alloc(blockBytes);
    if ((await archive.read(header, 0, blockBytes, at)).bytesRead < blockBytes) throw new Error('it is truncated');
    if (header.every((byte) => byte === 0)) return entries;
    const found = readTarHeader(header);
    if (found === undefined || found.kind !== '0' || entries.length === entriesMax)
      throw new Error('it is damaged, or not a backup');
    const entry = { name: found.name, size: found.size, start: at + blockBytes };
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
    if (bytesRead === 0) throw new Error('it is truncated');
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await writeAll(target, chunk, to + done);
    done += bytesRead;
  }
  return hash.digest('hex');
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

/** Has the disk keep what was made, renamed or removed in a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The manifest of a backup, before its parts. */
export interface Manifest {
  readonly format: 'freehold-backup';
  readonly version: number;
  readonly created_at: string;
  readonly store: 'sqlite';
  readonly parts: readonly ManifestPart[];
}

export interface ManifestPart {
  readonly name: PartName;
  readonly bytes: number;
  readonly sha256: string;
  /** Of the data in a store; left out of backups from before there were several. */
  readonly data_version?: number;
  readonly counts?: { readonly scopes: number; readonly items: number; readonly index_items: number };
}

export type PartName = StoreName | typeof secretsName;
type StoreName = (typeof storeNames)[number];

/**
 * The stores in the order in which their moments are taken. Data names the orgs of `platform` and the keys of the
 * secrets, never the other way round, so those come last: what was taken before names nothing that they do not know.
 */
export const storeNames = ['prod.db', 'test.db', 'platform.db'] as const;
export const secretsName = 'secrets.json';
export const manifestName = 'manifest.json';

export const formatVersion = 1;

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Throws a sentence about what is wrong with it. */
export function readManifest(text: string): Manifest {
  const manifest = parse(text);
  if (manifest.format !== 'freehold-backup') throw new Error('it is not a backup of Freehold');
  if (manifest.version !== formatVersion)
    throw new Error(
      `its format is ${JSON.stringify(manifest.version)}, this release knows ${formatVersion}: use the release that made it`,
    );
  const parts = Array.isArray(manifest.parts) ? manifest.parts : [];
  if (!parts.every(isPart) || storeNames.some((name) => parts.every((part) => part.name !== name)))
    throw new Error('its manifest is damaged');
  for (const { data_version } of parts)
    if (data_version !== undefined && Math.abs(data_version) > dataVersion)
      throw new Error(
        `its data is of version ${Math.abs(data_version)}, this release works on version ${dataVersion}: use the release that made it`,
      );
  return manifest as unknown as Manifest;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below.
  }
  throw new Error('its manifest is damaged');
}

function isPart(value: unknown): value is ManifestPart {
  if (typeof value !== 'object' || value === null) return false;
  const { name, bytes, sha256, data_version = 1 } = value as Readonly<Record<string, unknown>>;
  const isKnown = name === secretsName || storeNames.some((known) => known === name);
  return isKnown && Number.isSafeInteger(bytes) && Number.isSafeInteger(data_version) && typeof sha256 === 'string';
}
