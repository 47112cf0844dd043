import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { snapshotFiles } from '../store/online-copy.ts';
import {
  appendEntry,
  endArchive,
  fillEntry,
  formatVersion,
  type Manifest,
  type ManifestPart,
  manifestName,
  manifestText,
  type PartName,
  secretsName,
  storeNames,
  syncFolder,
} from './archive.ts';

interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  readonly withSecrets: boolean;
  readonly clock: Clock;
}

/** Room for the manifest at the beginning of the file: what it says is known only when the parts are written. */
const manifestRoom = 4096;

/** Everything of a data folder in one file, beside a platform that is running or not. The file is there whole or not at all. */
export async function takeBackup({ dataDir, file, withSecrets, clock }: BackupOptions): Promise<Manifest> {
  const aside = `${file}.partial`;
  await makeAside(aside);
  try {
    const created_at = timestamp(clock.now());
    const snapshots = snapshotFiles(storeNames.map((name) => join(dataDir, name)));
    try {
      // At once: keys that were made later are none of what was taken before.
      if (withSecrets) await copySecrets(dataDir, aside);
      const manifest = await writeArchive(aside, { created_at, snapshots, withSecrets });
      await rename(join(aside, 'archive'), file);
      await syncFolder(dirname(file));
      return manifest;
    } finally {
      for (const snapshot of snapshots) snapshot.close();
    }
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function makeAside(aside: string): Promise<void> {
  try {
    await mkdir(aside, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(
      `\`${basename(aside)}\` exists: another backup to this file is running; if that was interrupted, remove it`,
    );
  }
}

async function copySecrets(dataDir: string, aside: string): Promise<void> {
  const text = await readFile(join(dataDir, secretsName));
  await writeFile(join(aside, secretsName), text, { mode: 0o600, flag: 'wx' });
}

interface BackupContents {
  readonly created_at: string;
  readonly snapshots: ReturnType<typeof snapshotFiles>;
  readonly withSecrets: boolean;
}

async function writeArchive(aside: string, { created_at, snapshots, withSecrets }: BackupContents): Promise<Manifest> {
  const archive = await open(join(aside, 'archive'), 'wx', 0o600);
  try {
    const parts: ManifestPart[] = [];
    let end = manifestRoom;
    const append = async (name: PartName, held: Pick<ManifestPart, 'counts' | 'data_version'> = {}) => {
      const added = await appendFile(archive, end, join(aside, name));
      parts.push({ name, bytes: added.bytes, sha256: added.sha256, ...held });
      end = added.end;
    };
    for (const [index, name] of storeNames.entries()) {
      const snapshot = snapshots[index];
      if (snapshot === undefined) throw new Error(`there is no snapshot of \`${name}\``);
      await snapshot.copyTo(join(aside, name));
      // As long as it is held, the platform's log grows.
      snapshot.close();
      await append(name, { data_version: snapshot.dataVersion, counts: snapshot.counts });
      await rm(join(aside, name));
    }
    if (withSecrets) await append(secretsName);
    await endArchive(archive, end);
    const manifest: Manifest = {
      format: 'freehold-backup',
      version: formatVersion,
      created_at,
      store: 'sqlite',
      parts,
    };
    await fillEntry(archive, { name: manifestName, text: manifestText(manifest), room: manifestRoom });
    await archive.sync();
    return manifest;
  } finally {
    await archive.close();
  }
}

async function appendFile(archive: FileHandle, at: number, path: string): ReturnType<typeof appendEntry> {
  const content = await open(path, 'r');
  try {
    return await appendEntry(archive, at, { name: basename(path), content });
  } finally {
    await content.close();
  }
}
