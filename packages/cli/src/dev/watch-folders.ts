/** Changes below some folders of a project, which may come and go while they are watched. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';

export interface Watching {
  close(): void;
}

/** @param changed gets the name of the folder. @param warn gets a sentence where a folder cannot be watched. */
export function watchFolders(
  root: string,
  names: readonly string[],
  changed: (name: string) => void,
  warn: (sentence: string) => void,
): Watching {
  const watchers = new Map<string, FSWatcher>();
  const begin = (name: string) => {
    watchers.get(name)?.close();
    watchers.delete(name);
    if (!isFolder(join(root, name))) return;
    try {
      const watcher = watch(join(root, name), { recursive: true }, () => changed(name));
      watcher.on('error', () => watcher.close());
      watchers.set(name, watcher);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      warn(`${name} cannot be watched (${why}): start again after changes there`);
    }
  };
  for (const name of names) begin(name);
  // A folder that is made, removed or replaced is an event of the folder around it.
  const parents = new Set(names.map((name) => join(root, name, '..')));
  const outer = [...parents].filter(isFolder).map((parent) =>
    watch(parent, (_, file) => {
      for (const name of names)
        if (join(root, name) === join(parent, String(file))) {
          begin(name);
          changed(name);
        }
    }),
  );
  return {
    close: () => {
      for (const watcher of [...watchers.values(), ...outer]) watcher.close();
    },
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
