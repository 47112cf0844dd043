import { closeSync, constants, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { CommandError } from '../frame/command-error.ts';
import { type Item, itemKey } from './item.ts';
import type { ItemFile } from './read-items.ts';
import { changedText, isSame, newText } from './yaml-item.ts';

export interface FileChange {
  /** From the folder, with `/`. */
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** Undefined for a file that is removed. */
  readonly text: string | undefined;
}

export interface FolderPlan {
  readonly changes: readonly FileChange[];
  /** Files of items that the platform does not have, and that stay. */
  readonly kept: readonly string[];
}

/** What of the folder differs from the items of the platform. A file of the same content is not written at all. */
export function planFolder(items: readonly Item[], files: readonly ItemFile[], removes: boolean): FolderPlan {
  const byKey = new Map(files.map((file) => [itemKey(file), file]));
  const wanted = new Set(items.map(itemKey));
  const written = items.flatMap((item) => changeOf(item, byKey.get(itemKey(item))));
  const others = files.filter((file) => !wanted.has(itemKey(file))).map(({ entry }) => entry.path);
  const removed = others.map((path): FileChange => ({ path, change: 'removed', text: undefined }));
  const changes = [...written, ...(removes ? removed : [])];
  return {
    changes: changes.sort((left, right) => (left.path < right.path ? -1 : 1)),
    kept: removes ? [] : others,
  };
}

function changeOf(item: Item, file: ItemFile | undefined): readonly FileChange[] {
  if (file === undefined) return [{ path: `${itemKey(item)}.yaml`, change: 'added', text: newText(item.content) }];
  if (isSame(file.content, item.content)) return [];
  const { path, extension } = file.entry;
  const text =
    extension === 'json' ? `${JSON.stringify(item.content, undefined, 2)}\n` : changedText(file.text, item.content);
  return [{ path, change: 'changed', text }];
}

/** Each file is written whole, or stays as it was. */
export function writeFolder(root: string, changes: readonly FileChange[]): void {
  mkdirSync(root, { recursive: true });
  for (const [kind, ofKind] of Map.groupBy(changes, ({ path }) => path.split('/')[0] ?? '')) {
    const path = join(root, kind);
    mkdirSync(path, { recursive: true });
    const folder = openFolder(path);
    try {
      for (const change of ofKind) writeOne(byFolder(folder, path), change);
    } finally {
      closeSync(folder);
    }
  }
}

function writeOne(folder: string, { path, text }: FileChange): void {
  const file = join(folder, path.split('/')[1] ?? '');
  if (text === undefined) {
    rmSync(file, { force: true });
    return;
  }
  const beside = join(folder, `.freehold-${process.pid}`);
  try {
    writeFileSync(beside, text, { flag: 'wx' });
    // Takes the place of a link that has come in between, and does not follow it.
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** If the system has paths for open folders (Linux), a folder that is replaced by a link changes nothing. */
function byFolder(folder: number, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder}${sep}` : path;
}

function openFolder(path: string): number {
  try {
    const folder = openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0));
    if (fstatSync(folder).isDirectory()) return folder;
    closeSync(folder);
  } catch (error) {
    throw noFolder(path, (error as NodeJS.ErrnoException).code);
  }
  throw noFolder(path, 'ENOTDIR');
}

function noFolder(path: string, code: string | undefined): CommandError {
  return new CommandError(`\`${path}\` is no folder that can be written to (${code})`, {
    code: 'folder_refused',
    next: 'put a folder in its place',
  });
}
