import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { generateSigningKey, type StoredSigningKey } from './signing-keys.ts';

/** What the platform must keep to itself. Made at first start where nobody set it. */
export interface Secrets {
  readonly signing_keys: readonly StoredSigningKey[];
  /** 32 bytes in base64url: seals the cursors of lists. */
  readonly cursor_key: string;
}

/** Reads the secrets of a data directory, or makes them: one file, mode 0600, on disk before anything is signed. */
export async function loadSecrets(dataDir: string, clock: Clock): Promise<Secrets> {
  const path = join(dataDir, 'secrets.json');
  const known = await readIfThere(path);
  if (known !== undefined) {
    await chmod(path, 0o600);
    return JSON.parse(known) as Secrets;
  }
  const secrets = await makeSecrets(clock);
  await writeDurably(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

async function makeSecrets(clock: Clock): Promise<Secrets> {
  return { signing_keys: [await generateSigningKey(clock)], cursor_key: randomBytes(32).toString('base64url') };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all, also over a loss of power: written aside, flushed, renamed, and the folder flushed. */
async function writeDurably(path: string, text: string): Promise<void> {
  const aside = `${path}.new`;
  const file = await open(aside, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
