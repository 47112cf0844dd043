import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../frame/command-error.ts';

/** A credential, and where it is valid. */
export interface Profile {
  /** Of the management gateway, without a slash at its end. */
  readonly url: string;
  readonly org: string;
  readonly kind: 'session' | 'deploy key' | 'service key';
  readonly token: string;
  /** Of the app gateway, where it is known. */
  readonly appUrl?: string;
  /** Of a session: who signed in. */
  readonly email?: string;
  readonly expiresAt?: string;
}

export interface ProfileStore {
  /** The file of the credentials. */
  readonly path: string;
  /** By name, in the order of the names. @throws CommandError for a file that others can read, or that is damaged. */
  all(): ReadonlyMap<string, Profile>;
  /** Adds it, or takes the place of the one of this name. */
  put(name: string, profile: Profile): void;
  remove(name: string): void;
}

const format = 1;
const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** Profiles in one file of this folder: the folder has the mode 700, the file 600. */
export function openProfiles(folder: string): ProfileStore {
  const path = join(folder, 'profiles.json');
  const write = (profiles: ReadonlyMap<string, Profile>): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // It may have been there before, with another mode.
    chmodSync(folder, 0o700);
    const sorted = [...profiles].sort(([left], [right]) => (left < right ? -1 : 1));
    const text = `${JSON.stringify({ format, profiles: Object.fromEntries(sorted) }, undefined, 2)}\n`;
    const beside = `${path}.${process.pid}`;
    try {
      rmSync(beside, { force: true });
      writeFileSync(beside, text, { mode: 0o600, flag: 'wx' });
      renameSync(beside, path);
    } finally {
      rmSync(beside, { force: true });
    }
  };
  const all = () => readProfiles(path);
  return {
    path,
    all,
    put: (name, profile) => {
      if (!namePattern.test(name))
        throw new CommandError(`\`${name}\` is no name of a profile: letters, digits, \`.\`, \`_\` and \`-\``, {
          code: 'wrong_usage',
        });
      write(new Map([...all(), [name, profile]]));
    },
    remove: (name) => write(new Map([...all()].filter(([other]) => other !== name))),
  };
}

function readProfiles(path: string): ReadonlyMap<string, Profile> {
  const text = readPrivate(path);
  if (text === undefined) return new Map();
  try {
    const read = JSON.parse(text) as { readonly format?: unknown; readonly profiles?: unknown };
    if (read.format === format && typeof read.profiles === 'object' && read.profiles !== null)
      return new Map(Object.entries(read.profiles).map(([name, profile]) => [name, checked(profile)]));
  } catch {
    // Said below: the text of the error would show a part of the file.
  }
  throw new CommandError(`${path} is damaged, or of another version`, {
    code: 'profiles_damaged',
    next: 'remove the file, and sign in again with `freehold login`',
  });
}

function checked(profile: unknown): Profile {
  const { url, org, token, kind } = profile as Partial<Profile>;
  if (![url, org, token, kind].every((member) => typeof member === 'string')) throw new TypeError('no profile');
  return profile as Profile;
}

/** The text of a file that only this user can read; undefined where there is none. */
function readPrivate(path: string): string | undefined {
  const file = openIfAny(path);
  if (file === undefined) return undefined;
  try {
    const { mode } = fstatSync(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new CommandError(`other users can read ${path}, which holds credentials`, {
        code: 'profiles_exposed',
        next: `run \`chmod 600 ${path}\`, and replace the credentials if others have used this machine`,
      });
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function openIfAny(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CommandError(`${path} cannot be read (${code})`, { code: 'profiles_unreadable' });
  }
}
