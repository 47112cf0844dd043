import { hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serialLanes } from '../../lib/scheduling/serial-lanes.ts';
import { Unavailable } from '../../store/port.ts';
import { nothingKept, parseSecrets, type Secrets, type SecretsVault } from './secrets.ts';

/** The secrets of a data folder: `secrets.json`, for its owner alone. One process at a time has the folder. */
export function createSecretsFile(dataDir: string): SecretsVault {
  const path = secretsPath(dataDir);
  const inTurn = serialLanes<string>();
  return {
    read: async () => {
      const text = await readIfThere(path);
      return { secrets: text === undefined ? {} : parse(path, text), version: versionOf(text) };
    },
    write: (secrets, seen) =>
      inTurn(path, async () => {
        if (versionOf(await readIfThere(path)) !== seen.version) return false;
        await writeDurably(path, `${JSON.stringify(secrets, null, 2)}\n`);
        return true;
      }),
  };
}

function parse(path: string, text: string): Partial<Secrets> {
  try {
    return parseSecrets(text);
  } catch (error) {
    throw new Error(`the secrets in \`${path}\` cannot be used: ${sentenceOf(error)}`);
  }
}

function versionOf(text: string | undefined): string {
  return text === undefined ? nothingKept : hash('sha256', text);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      await closeToOthers(file);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`the secrets in \`${path}\` cannot be read: ${sentenceOf(error)}`);
  }
}

/** A folder that came out of a backup may have lost what kept others out. */
async function closeToOthers(file: FileHandle): Promise<void> {
  if (((await file.stat()).mode & othersMode) === 0) return;
  await file.chmod(ownerMode).catch((error: unknown) => {
    // No platform runs there, and commands that only read need the keys.
    if (!(error instanceof Error && 'code' in error && error.code === 'EROFS')) throw error;
  });
}

const ownerMode = 0o600;
const othersMode = 0o077;

/** Whole or not at all, also over a loss of power: written aside, flushed, renamed, and the folder flushed. */
async function writeDurably(path: string, text: string): Promise<void> {
  const aside = `${path}.new`;
  try {
    await writeFlushed(aside, text);
    await rename(aside, path);
    await syncFolder(dirname(path));
  } catch (error) {
    // Half of the secrets is of no use to anybody who may have them.
    await rm(aside, { force: true }).catch(() => undefined);
    throw new Unavailable(`the secrets in \`${path}\` cannot be written: ${sentenceOf(error)}`, { cause: error });
  }
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', ownerMode);
  try {
    // What a crash left behind keeps its mode.
    await file.chmod(ownerMode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}
