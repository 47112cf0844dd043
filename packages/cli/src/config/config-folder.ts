/**
 * The folder of the configuration, which may have come from anywhere: what is read of it is a plain file that lies in it,
 * and has no other name. A link, and a file that changes while it is read, is refused by its name.
 */
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, sep } from 'node:path';
import { CommandError } from '../frame/command-error.ts';
import { isItemName } from './item.ts';

/** What the platform takes of one file. */
const fileBytesMax = 1024 * 1024;
const filesMax = 10_000;

/** A file as it was when it was looked at. */
export interface FolderEntry {
  readonly kind: string;
  readonly name: string;
  readonly extension: 'yaml' | 'json';
  /** From the folder, with `/`. */
  readonly path: string;
  readonly folder: Identity;
  readonly file: Identity;
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

/** The files of the items, in the order of their names; none where there is no folder. @throws CommandError with all mistakes. */
export function listFolder(root: string): readonly FolderEntry[] {
  const mistakes: string[] = [];
  const entries: FolderEntry[] = [];
  const top = lookAt(root);
  if (top === undefined) return [];
  if (!top.isDirectory()) throw refused([`\`${root}\` is ${whatItIs(top)}, and no folder`]);
  for (const kind of namesIn(root)) {
    const path = join(root, kind);
    const stats = lookAt(path);
    if (stats?.isDirectory() !== true) {
      if (kind === 'freehold.json' && stats?.isFile() === true) continue;
      mistakes.push(`\`${kind}\` is ${stats === undefined ? 'gone' : whatItIs(stats)}, and no folder of a kind`);
      continue;
    }
    for (const file of namesIn(path)) {
      const read = entryOf(kind, file, { folder: stats, file: lookAt(join(path, file)) });
      if (typeof read === 'string') mistakes.push(read);
      else entries.push(read);
    }
    if (entries.length > filesMax) throw refused([`there are more than ${filesMax} files`]);
  }
  mistakes.push(...twice(entries));
  if (mistakes.length > 0) throw refused(mistakes);
  return entries;
}

function entryOf(
  kind: string,
  file: string,
  { folder, file: stats }: { readonly folder: BigIntStats; readonly file: BigIntStats | undefined },
): FolderEntry | string {
  const path = `${kind}/${file}`;
  if (stats === undefined) return `\`${path}\` is gone`;
  if (!stats.isFile()) return `\`${path}\` is ${whatItIs(stats)}, and no file`;
  if (stats.nlink > 1n) return `\`${path}\` has another name elsewhere (a hard link)`;
  const [, name = '', extension = ''] = /^(.*)\.(yaml|json)$/.exec(file) ?? [];
  if (!isItemName({ kind, name }) || (extension !== 'yaml' && extension !== 'json'))
    return `\`${path}\` is not named <kind>/<name>.yaml or .json, in lower case`;
  return { kind, name, extension, path, folder, file: stats };
}

function twice(entries: readonly FolderEntry[]): readonly string[] {
  const byItem = Map.groupBy(entries, ({ kind, name }) => `${kind}/${name}`);
  return [...byItem.values()]
    .filter(({ length }) => length > 1)
    .map((same) => `${same.map(({ path }) => `\`${path}\``).join(' and ')} are one item`);
}

/** The bytes of a file that was listed. @throws CommandError where it, or its folder, is another one by now. */
export function readEntry(root: string, entry: FolderEntry): Buffer {
  const folderPath = join(root, entry.kind);
  const folder = open(folderPath, entry.path, constants.O_DIRECTORY ?? 0);
  try {
    assertSame(fstatSync(folder, { bigint: true }), entry.folder, entry.path);
    const file = open(inFolder(folder, folderPath, entry), entry.path, 0);
    try {
      return readWhole(file, entry);
    } finally {
      closeSync(file);
    }
  } finally {
    closeSync(folder);
  }
}

/**
 * By the open folder where the system has paths for that (Linux), so that a folder that is replaced between two steps
 * changes nothing. Elsewhere by the path; the identity of the file is compared all the same.
 */
function inFolder(folder: number, folderPath: string, { name, extension }: FolderEntry): string {
  const file = `${name}.${extension}`;
  return process.platform === 'linux' ? `/proc/self/fd/${folder}${sep}${file}` : join(folderPath, file);
}

/** Follows no link, and does not wait for a pipe. */
function open(path: string, shown: string, flags: number): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | flags);
  } catch (error) {
    throw refused([`\`${shown}\` was replaced while it was read (${(error as NodeJS.ErrnoException).code})`]);
  }
}

function readWhole(file: number, entry: FolderEntry): Buffer {
  const before = fstatSync(file, { bigint: true });
  assertSame(before, entry.file, entry.path);
  if (!before.isFile() || before.nlink > 1n) throw refused([`\`${entry.path}\` was replaced while it was read`]);
  if (before.size > BigInt(fileBytesMax)) throw refused([`\`${entry.path}\` has more than ${fileBytesMax} bytes`]);
  const bytes = Buffer.alloc(Number(before.size) + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(file, bytes, length, bytes.length - length, length);
  const after = fstatSync(file, { bigint: true });
  if (length !== Number(before.size) || after.mtimeNs !== before.mtimeNs || after.ctimeNs !== before.ctimeNs)
    throw refused([`\`${entry.path}\` was written while it was read`]);
  return bytes.subarray(0, length);
}

function assertSame(found: Identity, listed: Identity, path: string): void {
  if (found.dev !== listed.dev || found.ino !== listed.ino)
    throw refused([`\`${path}\` was replaced while it was read`]);
}

/** Without hidden ones, such as what editors and systems leave. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort();
}

function lookAt(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

function whatItIs(stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isDirectory()) return 'a folder';
  return stats.isFile() ? 'a file' : 'a device or a socket';
}

function refused(lines: readonly string[]): CommandError {
  return new CommandError('the folder of the configuration cannot be used', {
    code: 'folder_refused',
    lines,
    next: 'put plain files in their place; nothing was sent or written',
  });
}
