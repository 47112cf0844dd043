/** The backups in a folder, as their files and the notes beside them say. */
import { access, constants, lstat, mkdir, open, opendir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { notFound, Problem } from '../lib/problem.ts';
import { firstDataVersion } from '../store/data-version.ts';
import { secretsName, storeNames } from './archive.ts';
import { type BackupFacts, backupOfFacts, isBackupName, readFacts } from './backup-facts.ts';
import { readBackupFile } from './restore-backup.ts';

/** A backup as the operator sees it. */
export interface ListedBackup {
  readonly name: string;
  readonly state: BackupFacts['state'];
  readonly problem: string | null;
  readonly percent: number | null;
  readonly made_by: BackupFacts['made_by'];
  readonly made_at: string;
  readonly bytes: number | null;
  readonly data_version: number | null;
  readonly test: {
    readonly result: NonNullable<BackupFacts['test']>['result'];
    readonly at: string;
    readonly problem: string | null;
  } | null;
}

export interface BackupPlaces {
  readonly folder: string;
  readonly dataDir: string;
}

/** Of a folder with more, those are shown whose names come last; names that the platform makes begin with the time. */
const shownMax = 1000;
/** So many names are read of a folder. */
const namesMax = 100_000;
/** Bytes for the other files that are written while a backup or a restore runs. */
const roomBeside = 64 * 1024 * 1024;

/** The latest first. A folder that is not there has none. */
export async function listBackups(places: BackupPlaces): Promise<readonly ListedBackup[]> {
  const names = [...(await backupNames(places.folder))].sort().reverse().slice(0, shownMax);
  const found: ListedBackup[] = [];
  for (const name of names) {
    const backup = await lookAt(places, name);
    if (backup !== undefined) found.push(backup);
  }
  return found.sort(latestFirst);
}

/** @throws Problem `not_found` */
export async function findBackup(places: BackupPlaces, name: string): Promise<ListedBackup> {
  const found = isBackupName(name) ? await lookAt(places, name) : undefined;
  if (found === undefined) throw notFound();
  return found;
}

export function latestFirst(
  one: Pick<ListedBackup, 'made_at' | 'name'>,
  other: Pick<ListedBackup, 'made_at' | 'name'>,
): number {
  const [a, b] = [`${one.made_at} ${one.name}`, `${other.made_at} ${other.name}`];
  return a < b ? 1 : a > b ? -1 : 0;
}

async function backupNames(folder: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const opened = await opendir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Problem('unavailable', `the folder for backups cannot be read (${codeOf(error) ?? 'unknown'})`);
  });
  if (opened === undefined) return names;
  let count = 0;
  for await (const { name } of opened) {
    const backup = isBackupName(name) ? name : backupOfFacts(name);
    if (backup !== undefined) names.add(backup);
    count += 1;
    if (count === namesMax) break;
  }
  return names;
}

/** Undefined where there is neither a file nor a note of a backup that is being made, or has failed. */
async function lookAt({ folder, dataDir }: BackupPlaces, name: string): Promise<ListedBackup | undefined> {
  const path = join(folder, name);
  const facts = readFacts(folder, name);
  const file = await lstat(path).catch(() => undefined);
  const isRunning = facts?.state === 'running';
  if (file === undefined || isRunning) {
    if (facts === undefined || facts.state === 'complete') return undefined;
    return {
      ...{ name, state: facts.state, problem: facts.problem ?? null, made_by: facts.made_by, made_at: facts.begun_at },
      percent: isRunning ? await percentOf(`${path}.partial`, dataDir) : null,
      ...{ bytes: null, data_version: null, test: null },
    };
  }
  // A link may lead anywhere.
  if (!file.isFile()) return undefined;
  const { size: bytes } = file;
  try {
    const { created_at, parts } = await readBackupFile(path);
    const made_at = new Date(created_at).toISOString();
    const isNoted = facts?.file?.bytes === bytes && facts.file.created_at === made_at;
    const { result, at, problem } = (isNoted ? facts.test : undefined) ?? {};
    return {
      ...{ name, state: 'complete', problem: null, percent: null, made_at, bytes },
      made_by: isNoted ? facts.made_by : null,
      data_version: parts.find((part) => part.name === 'platform.db')?.data_version ?? firstDataVersion,
      test: result === undefined || at === undefined ? null : { result, at, problem: problem ?? null },
    };
  } catch (error) {
    const problem = `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return {
      ...{ name, state: 'failed', problem, percent: null, made_by: null, bytes, data_version: null, test: null },
      made_at: file.mtime.toISOString(),
    };
  }
}

/**
 * The progress of a backup: each store is copied, and the copy is put into the file. A copy that is being made, or put
 * in, lies beside the file.
 */
async function percentOf(partial: string, dataDir: string): Promise<number> {
  const sizes = await Promise.all(storeNames.map((name) => sizeOf(join(dataDir, name))));
  const written = await sizeOf(join(partial, 'archive'));
  let before = 0;
  let done = 2 * written;
  for (const [index, name] of storeNames.entries()) {
    const copied = await sizeOf(join(partial, name));
    if (copied > 0) done = 2 * before + copied + Math.max(0, written - before);
    before += sizes[index] ?? 0;
  }
  return before === 0 ? 0 : Math.min(99, Math.floor((50 * done) / before));
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
}

export interface DiskRoom {
  readonly free_bytes: number;
  readonly needed_bytes: number;
}

/** Room for a backup in progress: the file, and the copy of one store. Null where the folder cannot be read. */
export async function roomForBackup({ folder, dataDir }: BackupPlaces): Promise<DiskRoom | null> {
  try {
    const sizes = await Promise.all([...storeNames, secretsName].map((name) => sizeOf(join(dataDir, name))));
    const needed_bytes = sizes.reduce((sum, size) => sum + size, 0) + Math.max(...sizes) + roomBeside;
    return { free_bytes: await freeBytes(folder), needed_bytes };
  } catch {
    return null;
  }
}

/** Makes the folder where it is missing, for its owner alone. @throws Problem `unavailable` with a sentence for the operator. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = codeOf(error) ?? String(error);
    throw new Problem(
      'unavailable',
      `the folder for backups cannot be used (${why}): make it, and give it to the user of the platform`,
    );
  }
}

/** @throws Problem `unavailable` with a sentence for the operator. */
export async function requireRoom(folder: string, needed: number, what: string): Promise<void> {
  const free = await freeBytes(folder);
  if (free >= needed) return;
  const text = `the disk of the folder for backups has room for ${megabytes(free)} MB, and ${what} needs about ${megabytes(needed)} MB: free some space`;
  throw new Problem('unavailable', text);
}

/** The dependencies of a restore test of a backup. */
export function roomForTest({ bytes }: Pick<ListedBackup, 'bytes'>): number {
  return (bytes ?? 0) + roomBeside;
}

/** A folder that is not there yet will be made in the one above it. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return statfs(dirname(folder));
  });
  return bavail * bsize;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}

const pieceBytes = 64 * 1024;

/** The file, piece by piece. @throws Error where the file is no longer the one looked at. */
export async function* bytesOfBackup(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    if ((await file.stat()).size !== bytes) throw new Problem('conflict', 'the file has changed meanwhile');
    for (let at = 0; at < bytes; ) {
      const length = Math.min(pieceBytes, bytes - at);
      // A piece may wait in the connection while the next one is read.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
      if (bytesRead === 0) throw new Error('the file of a backup was cut off while it was downloaded');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Those of the schedule that a platform needs no more, of the notes that it wrote itself: what is older than the `keep`
 * latest ones whose restore test passed. Until there are so many, each is kept.
 */
export function expiredBackups(own: readonly BackupFacts[], keep: number): readonly BackupFacts[] {
  const complete = lastBegunFirst(own).filter(({ made_by, state }) => made_by === 'schedule' && state === 'complete');
  const tested = complete.filter(({ test }) => test?.result === 'passed');
  const last = tested[keep - 1];
  return last === undefined ? [] : complete.slice(complete.indexOf(last) + 1);
}

/** So many notes of backups that failed are kept. */
const failedMax = 20;

export function expiredFailures(own: readonly BackupFacts[]): readonly BackupFacts[] {
  return lastBegunFirst(own)
    .filter(({ state }) => state === 'failed')
    .slice(failedMax);
}

export function lastOfSchedule(own: readonly BackupFacts[]): BackupFacts | undefined {
  return lastBegunFirst(own).find(({ made_by }) => made_by === 'schedule');
}

/** The last one of the schedule that is known to be good. */
export function lastPassed(own: readonly BackupFacts[]): BackupFacts | undefined {
  return lastBegunFirst(own).find(
    ({ made_by, state, test }) => made_by === 'schedule' && state === 'complete' && test?.result === 'passed',
  );
}

function lastBegunFirst(facts: readonly BackupFacts[]): readonly BackupFacts[] {
  return facts.toSorted((one, other) => (one.begun_at < other.begun_at ? 1 : one.begun_at > other.begun_at ? -1 : 0));
}
