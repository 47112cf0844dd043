/**
 * Preloaded into a platform, makes it answer before what it answers is on disk: its stores lie beside the data folder's
 * files, which follow a quarter of a second later. While it runs, the difference is invisible.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync as PlainDatabase } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

const behindMilliseconds = 250;
const moved = new Map<string, string>();

/** Where the store lies that seems to lie at `path`: as the last process left the file there, once for each process. */
function placeOf(path: string): string {
  const place = join(dirname(path), 'early', basename(path));
  if (isMainThread && !moved.has(path)) {
    mkdirSync(dirname(place), { recursive: true });
    copy(path, place);
    moved.set(path, place);
  }
  return place;
}

/** Whole or not at all, so that what a kill leaves is late and nothing else. */
function copy(from: string, to: string): void {
  const unfinished = `${to}.unfinished`;
  rmSync(unfinished, { force: true });
  const database = new PlainDatabase(from);
  try {
    database.prepare('vacuum into ?').run(unfinished);
  } finally {
    database.close();
  }
  for (const suffix of ['-wal', '-shm']) rmSync(to + suffix, { force: true });
  renameSync(unfinished, to);
}

/** What the platform gets in place of Node's. */
export class DatabaseSync extends PlainDatabase {
  constructor(path: string, options?: ConstructorParameters<typeof PlainDatabase>[1]) {
    super(path.endsWith('.db') ? placeOf(path) : path, options ?? {});
  }
}

export * from 'node:sqlite';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:sqlite' && context.parentURL !== import.meta.url
      ? { url: import.meta.url, shortCircuit: true }
      : next(specifier, context),
});

/** There is always a while between two copies, however long one takes: what is answered in it is what a kill loses. */
function follow(): void {
  for (const [path, place] of moved) copy(place, path);
  setTimeout(follow, behindMilliseconds).unref();
}

if (isMainThread) setTimeout(follow, behindMilliseconds).unref();
