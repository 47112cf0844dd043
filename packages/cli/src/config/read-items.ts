import { CommandError } from '../frame/command-error.ts';
import { type FolderEntry, listFolder, readEntry } from './config-folder.ts';
import type { Item } from './item.ts';
import { readContent } from './yaml-item.ts';

/** A file of the folder, with its text and what it says. */
export interface ItemFile extends Item {
  readonly entry: FolderEntry;
  readonly text: string;
}

/** All items of the folder. @throws CommandError with every mistake, by file. */
export function readItems(root: string): readonly ItemFile[] {
  const mistakes: string[] = [];
  const files: ItemFile[] = [];
  for (const entry of listFolder(root)) {
    const { kind, name, path, extension } = entry;
    const text = decode(readEntry(root, entry));
    const found = text === undefined ? { mistakes: ['the file is no UTF-8'] } : readText(text, extension);
    if ('mistakes' in found) mistakes.push(...found.mistakes.map((sentence) => `${path}: ${sentence}`));
    else files.push({ kind, name, entry, text: text ?? '', content: found.content });
  }
  if (mistakes.length === 0) return files;
  throw new CommandError('files of the configuration cannot be read', {
    code: 'files_invalid',
    lines: mistakes,
    next: 'correct these files; nothing was sent or written',
  });
}

function readText(text: string, extension: FolderEntry['extension']): ReturnType<typeof readContent> {
  if (extension === 'yaml') return readContent(text);
  try {
    return { content: JSON.parse(text) as unknown };
  } catch {
    return { mistakes: ['the file is no JSON'] };
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
