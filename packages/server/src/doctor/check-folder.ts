import { access, constants, readdir, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { askFile, holdsScopes, isHeld } from '../store/sqlite/ask-file.ts';
import { type Finding, fault, good, note, reasonOf } from './finding.ts';

const roomMin = 1024 ** 3;
const filesMin = 100;
const aheadMax = 60_000;
const stores = ['platform.db', 'test.db', 'prod.db'];

/** Whether a platform can keep its data in a folder. Changes nothing there. @param isRunning whether one runs on it. */
export async function checkFolder(folder: string, clock: Clock, isRunning = false): Promise<readonly Finding[]> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined && !found.isDirectory())
    return [fault(`\`${folder}\` is no folder: remove it, or set FREEHOLD_DATA_DIR to another place`)];
  const nearest = found === undefined ? await nearestFolder(folder) : folder;
  const findings = [await checkRights(nearest, folder), await checkRoom(nearest)];
  if (found === undefined) return [note(`\`${folder}\` is not there yet: the first start makes it`), ...findings];
  if ((found.mode & 0o077) !== 0)
    findings.push(fault(`\`${folder}\` is open to other users of the machine: \`chmod 700\` closes it`));
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) findings.push(...(await checkFile(join(folder, name), name, clock.now())));
  if (isRunning) return findings;
  const held = await Promise.all(stores.filter((name) => names.includes(name)).map((name) => isOpen(folder, name)));
  if (held.includes(true))
    findings.push(note(`a platform or a command has \`${folder}\` open: end it before another one is started on it`));
  return findings;
}

/** The lock lies beside the file itself, whatever leads to it. */
async function isOpen(folder: string, name: string): Promise<boolean> {
  return realpath(join(folder, name)).then(isHeld, () => false);
}

/** Whether a platform that has its stores in a folder has written to one of them, as far as that can be seen. */
export async function hasWritten(folder: string): Promise<boolean> {
  for (const name of stores) {
    const path = join(folder, name);
    if ((await askFile(path).catch(() => undefined))?.isDatabase !== true) continue;
    const log = await stat(`${path}-wal`).catch(() => undefined);
    if ((log?.size ?? 0) > 0 || holdsScopes(path)) return true;
  }
  return false;
}

async function nearestFolder(path: string): Promise<string> {
  const above = dirname(path);
  const isThere =
    above === path ||
    (await stat(above).then(
      () => true,
      () => false,
    ));
  return isThere ? above : nearestFolder(above);
}

async function checkRights(nearest: string, folder: string): Promise<Finding> {
  try {
    await access(nearest, constants.W_OK | constants.X_OK);
    return good(`\`${nearest}\` can be written to`);
  } catch (error) {
    if (reasonOf(error) === 'EROFS')
      return fault(
        `\`${nearest}\` is on a disk that takes no writes: mount it for writing, and see in the log of the system whether it fails`,
      );
    return fault(
      `${thisUser()} cannot write to \`${nearest}\` (${reasonOf(error)}): \`chown\` it, or set FREEHOLD_DATA_DIR otherwise than \`${folder}\``,
    );
  }
}

function thisUser(): string {
  return process.getuid === undefined ? 'this user' : `the user ${process.getuid()}`;
}

async function checkRoom(nearest: string): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(nearest);
  const megabytes = Math.floor((bavail * bsize) / 1024 ** 2);
  // If the number of files has no bound, none is reported.
  if (files > 0 && ffree < filesMin)
    return fault(`the disk of \`${nearest}\` has room for only ${ffree} more files: remove some`);
  if (bavail * bsize >= roomMin) return good(`the disk of \`${nearest}\` has room for ${megabytes} MB`);
  return fault(
    `the disk of \`${nearest}\` has room for only ${megabytes} MB: free some space, or writes will be refused with 503`,
  );
}

async function checkFile(path: string, name: string, now: number): Promise<readonly Finding[]> {
  const isSecret = name === 'secrets.json';
  const isStore = stores.includes(name);
  if (!isSecret && !isStore) return [];
  const findings: Finding[] = [];
  const { mode, mtimeMs } = await stat(path);
  if ((mode & 0o077) !== 0) findings.push(fault(`\`${path}\` can be read by others: \`chmod 600\` closes it`));
  if (mtimeMs - now > aheadMax)
    findings.push(
      fault(
        `\`${path}\` was written ${minutes(mtimeMs - now)} from now: the clock of this machine is behind, set it right`,
      ),
    );
  const refused = await access(path, constants.R_OK | constants.W_OK).catch(reasonOf);
  // A reason that affects all files was reported for the folder.
  if (refused !== undefined && refused !== 'EROFS')
    findings.push(fault(`${thisUser()} cannot read and write \`${path}\` (${refused}): \`chown\` it`));
  else if (isStore) findings.push(...faultsOf(path, await askFile(path).catch(() => undefined)));
  return findings;
}

function faultsOf(path: string, file: Awaited<ReturnType<typeof askFile>> | undefined): readonly Finding[] {
  if (file === undefined || !(file.isEmpty || file.isDatabase))
    return [
      fault(
        `\`${path}\` is no database that can be read: restore the folder from a backup, or end a restore that was cut off`,
      ),
    ];
  if (file.dataVersion === undefined || file.dataVersion.is === 'current') return [];
  if (file.dataVersion.is === 'earlier')
    return [
      note(
        `\`${path}\` holds data of an earlier version: the next start migrates it, or says why it cannot: back it up before`,
      ),
    ];
  return [
    fault(
      `\`${path}\` was written by a newer release (data version ${file.dataVersion.found}): start that one, or restore a backup from before the upgrade`,
    ),
  ];
}

function minutes(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 60_000)} minutes`;
}
