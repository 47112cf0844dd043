import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SealingKey } from '../entities/sealed-values.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { generateSigningKey, type StoredSigningKey } from './signing-keys.ts';

/** What the platform must keep to itself. Made at first start where nobody set it. */
export interface Secrets {
  readonly signing_keys: readonly StoredSigningKey[];
  /** 32 bytes in base64url: seals the cursors of lists. */
  readonly cursor_key: string;
  /** Seal the values of encrypted fields: the first seals, the others open what was sealed before it came. */
  readonly field_keys: readonly SealingKey[];
}

/** Reads the secrets of a data directory, or makes them: one file, mode 0600, on disk before anything is signed. */
export async function loadSecrets(dataDir: string, clock: Clock): Promise<Secrets> {
  const path = secretsPath(dataDir);
  const known = await readSecrets(dataDir);
  if (known !== undefined) await chmod(path, 0o600);
  const held = known ?? {};
  const { signing_keys, cursor_key, field_keys } = held;
  if (signing_keys !== undefined && cursor_key !== undefined && field_keys !== undefined)
    return { signing_keys, cursor_key, field_keys };
  // A directory of an older version lacks the secrets that came since.
  const secrets = { ...(await makeSecrets(clock)), ...held };
  await writeDurably(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** The secrets as they lie there, without those that came since; undefined where there are none. */
export async function readSecrets(dataDir: string): Promise<Partial<Secrets> | undefined> {
  const text = await readIfThere(secretsPath(dataDir));
  return text === undefined ? undefined : (JSON.parse(text) as Partial<Secrets>);
}

function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

async function makeSecrets(clock: Clock): Promise<Secrets> {
  return {
    signing_keys: [await generateSigningKey(clock)],
    cursor_key: randomKey(),
    field_keys: [{ kid: timestamp(clock.now()).slice(0, 10), key: randomKey() }],
  };
}

function randomKey(): string {
  return randomBytes(32).toString('base64url');
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
