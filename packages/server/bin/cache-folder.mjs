// On whatever Node there is: plain JavaScript.
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The folder of this name in the cache folder of this user (XDG Base Directory). Code that lies there is run as it is, so
 * the folder must not be one that another user could change.
 * @returns undefined where there is none, such as on a read-only file system
 */
export function cacheFolder(name) {
  try {
    let folder = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    makeFolder(folder);
    for (const part of ['freehold', name]) {
      folder = join(folder, part);
      makeFolder(folder);
    }
    const path = realpathSync(folder);
    return isOfThisUserAlone(path) ? path : undefined;
  } catch {
    return undefined;
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
