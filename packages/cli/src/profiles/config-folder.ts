import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder of this user's settings (XDG Base Directory), outside of every project. */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME: given, APPDATA: windows, HOME: home } = env;
  // A relative path is invalid, and counts as not set (XDG Base Directory).
  if (given !== undefined && isAbsolute(given)) return join(given, 'freehold');
  if (process.platform === 'win32' && windows !== undefined && windows !== '') return join(windows, 'freehold');
  return join(home === undefined || home === '' ? homedir() : home, '.config', 'freehold');
}
