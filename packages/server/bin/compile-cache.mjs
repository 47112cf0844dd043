// Node 24.7 or newer: plain JavaScript, so that it is loaded before anything that is worth keeping.
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Keeps compiled code from one start to the next, in the cache folder of this user (XDG Base Directory). Code that is
 * kept is run without its source, so a folder that another user could change is not used. Without a folder, such as on
 * a read-only file system, everything is compiled as ever.
 */
export function keepCompiledCode() {
  try {
    let folder = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    makeFolder(folder);
    for (const name of ['freehold', 'compiled']) {
      folder = join(folder, name);
      makeFolder(folder);
    }
    const path = realpathSync(folder);
    if (!isOfThisUserAlone(path)) return;
    const { status } = enableCompileCache(path);
    // By the variable the threads that write the stores use it too.
    if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = path;
  } catch {
    // What cannot be kept is compiled again.
  }
}

/** Not with all that lead to it: a user without a home gets none, and in /proc Node would try for ever. */
function makeFolder(path) {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
}

/** Whether the folder is this user's, and no other user could have put another one, or a file of theirs, in its place. */
function isOfThisUserAlone(folder) {
  // Unknown on Windows.
  const user = process.getuid?.();
  if (user === undefined || statSync(folder).uid !== user) return false;
  for (let path = folder; ; path = dirname(path)) {
    const { uid, mode } = statSync(path);
    const isSticky = path !== folder && (mode & 0o1000) !== 0;
    if ((uid !== user && uid !== 0) || ((mode & 0o022) !== 0 && !isSticky)) return false;
    if (path === dirname(path)) return true;
  }
}
