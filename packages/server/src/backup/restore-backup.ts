import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unfinishedRestore } from '../store/data-version.ts';
import {
  type ArchiveEntry,
  entriesOf,
  type Manifest,
  manifestName,
  type PartName,
  pour,
  readManifest,
  secretsName,
  storeNames,
  syncFolder,
} from './archive.ts';

interface RestoreOptions {
  readonly file: string;
  readonly dataDir: string;
}

const firstStore = 'platform.db' satisfies PartName;
const asideName = `${firstStore}.restoring`;

/** Puts a backup into an empty folder. What is damaged, of another format or not whole is refused. */
export async function restoreBackup({ file, dataDir }: RestoreOptions): Promise<Manifest> {
  const archive = await open(file, 'r');
  try {
    const entries = await entriesOf(archive);
    const manifest = await manifestOf(archive, entries);
    const parts = partsOf(manifest, entries.slice(1));
    await begin(dataDir);
    for (const { part, entry } of parts) {
      const sha256 = await unpack(archive, entry, join(dataDir, part.name === firstStore ? asideName : part.name));
      if (sha256 !== part.sha256) throw new Error(`\`${part.name}\` is damaged: its SHA-256 does not match`);
    }
    await syncFolder(dataDir);
    await rename(join(dataDir, asideName), join(dataDir, firstStore));
    await syncFolder(dataDir);
    return manifest;
  } finally {
    await archive.close();
  }
}

/** Reads the manifest of a backup, and no content of its parts. Throws a sentence about a file that is no whole backup. */
export async function readBackupFile(file: string): Promise<Manifest> {
  const archive = await open(file, 'r');
  try {
    const entries = await entriesOf(archive);
    const manifest = await manifestOf(archive, entries);
    partsOf(manifest, entries.slice(1));
    return manifest;
  } finally {
    await archive.close();
  }
}

async function manifestOf(archive: FileHandle, [first]: readonly ArchiveEntry[]): Promise<Manifest> {
  if (first?.name !== manifestName || first.size > 1024 * 1024) throw new Error('it is not a backup of Freehold');
  const text = Buffer.alloc(first.size);
  await archive.read(text, 0, first.size, first.start);
  return readManifest(text.toString());
}

/** Finds the parts. Throws, before anything is written, where the archive has another entry, or one of them twice. */
function partsOf({ parts }: Manifest, entries: readonly ArchiveEntry[]) {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const found = parts.map((part) => {
    const entry = byName.get(part.name);
    if (entry?.size !== part.bytes) throw new Error(`\`${part.name}\` does not match its manifest`);
    byName.delete(part.name);
    return { part, entry };
  });
  if (entries.length !== parts.length) throw new Error('it has other entries than its manifest names');
  return found;
}

async function begin(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const place = join(dataDir, firstStore);
  const names = await readdir(dataDir);
  if (names.includes(firstStore) && (await readStart(place)) === unfinishedRestore) {
    for (const name of [...storeNames, secretsName, asideName])
      if (name !== firstStore) await rm(join(dataDir, name), { force: true });
    return;
  }
  if (names.length > 0) {
    const shown = names.slice(0, 5).map((name) => `\`${name}\``);
    throw new Error(`\`${dataDir}\` is not empty, it holds ${shown.join(', ')}${names.length > 5 ? ' and more' : ''}`);
  }
  await writeFile(place, unfinishedRestore, { flag: 'wx', mode: 0o600, flush: true });
  await syncFolder(dataDir);
}

async function readStart(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2 * unfinishedRestore.length), 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function unpack(archive: FileHandle, { start, size }: ArchiveEntry, path: string): Promise<string> {
  const file = await open(path, 'wx', 0o600);
  try {
    const sha256 = await pour(archive, file, { from: start, size, to: 0 });
    await file.sync();
    return sha256;
  } finally {
    await file.close();
  }
}
