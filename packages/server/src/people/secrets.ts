import { createCipheriv, createDecipheriv, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { createSerializer } from '../lib/scheduling/serializer.ts';
import type { SealingKey } from '../records/port.ts';
import { type Condition, type Key, type Scope, Unavailable } from '../store/port.ts';
import { tryCommit } from '../store/transact.ts';
import { generateSigningKey, type StoredSigningKey } from './signing-key.ts';

/** The secrets of the platform. Made at the first start unless it is set. */
export interface Secrets {
  readonly signing_keys: readonly StoredSigningKey[];
  /** 32 bytes in base64url: seals the cursors of lists. */
  readonly cursor_key: string;
  /** Seal the values of encrypted fields: the first seals, the others open what was sealed before it came. */
  readonly field_keys: readonly SealingKey[];
}

/** Keeps the secrets of a platform, for all of its nodes: one document, which changes from what was read of it or not at all. */
export interface SecretsVault {
  /** @throws Error with a sentence for the operator, which repeats nothing of the secrets. */
  read(): Promise<StoredSecrets>;
  /** Durable when it resolves. False if another process has written since `seen`; then nothing has changed. */
  write(secrets: Partial<Secrets>, seen: StoredSecrets): Promise<boolean>;
}

interface StoredSecrets {
  /** Without those that came since they were written; empty where there never were any. */
  readonly secrets: Partial<Secrets>;
  /** Tells one state of the vault from another; {@link nothingKept} where nothing is there. */
  readonly version: string;
}

export const nothingKept = 'none';

/** Reads the secrets, or makes those that are missing: kept before anything is signed or sealed. */
export async function loadSecrets(vault: SecretsVault, clock: Clock): Promise<Secrets> {
  for (;;) {
    const kept = await vault.read();
    const { signing_keys, cursor_key, field_keys } = kept.secrets;
    if (signing_keys !== undefined && cursor_key !== undefined && field_keys !== undefined)
      return { signing_keys, cursor_key, field_keys };
    await vault.write({ ...(await makeSecrets(clock)), ...kept.secrets }, kept);
  }
}

async function makeSecrets(clock: Clock): Promise<Secrets> {
  const now = clock.now();
  return {
    signing_keys: [await generateSigningKey(now)],
    cursor_key: randomKey(),
    field_keys: [{ kid: timestamp(now).slice(0, 10), key: randomKey() }],
  };
}

function randomKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The secrets as a vault keeps them, with all other members beside them.
 * @throws Error that says what is wrong and repeats none of it: the parser's own would quote the text.
 */
export function parseSecrets(text: string): Partial<Secrets> {
  const document = parseJson(text);
  if (!isObject(document)) throw new Error('they are not a JSON object');
  const { signing_keys, cursor_key, field_keys } = document;
  if (cursor_key !== undefined && !isKey(cursor_key)) throw new Error('`cursor_key` is not 32 bytes in base64url');
  if (field_keys !== undefined && !isListOf(field_keys, isSealingKey))
    throw new Error('`field_keys` is not a list of `{kid, key}`, each key 32 bytes in base64url');
  if (signing_keys === undefined) return document;
  if (!isListOf(signing_keys, isSigningKey))
    throw new Error('`signing_keys` is not a list of token signing keys (without that member a new key is made)');
  const ids = new Set(signing_keys.map(({ kid }) => kid));
  if (ids.size < signing_keys.length) throw new Error('two token signing keys have one `kid`');
  return {
    ...document,
    signing_keys: signing_keys.map((key) => ({ ...key, signs_from: key.signs_from ?? key.created_at })),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('they are not a JSON object');
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** None of the lists may be empty. */
function isListOf<T>(value: unknown, isOne: (one: unknown) => one is T): value is readonly T[] {
  return Array.isArray(value) && value.length > 0 && value.every(isOne);
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value);
}

function isSealingKey(value: unknown): value is SealingKey {
  return isObject(value) && typeof value.kid === 'string' && isKey(value.key);
}

/** A key of an older version says nothing of `signs_from`: it signed from its first moment. */
type EarlierSigningKey = Omit<StoredSigningKey, 'signs_from'> & { readonly signs_from?: string };

function isSigningKey(value: unknown): value is EarlierSigningKey {
  if (!isObject(value) || !isObject(value.private_jwk)) return false;
  const { kid, created_at, signs_from, private_jwk } = value;
  const isTimed = isTime(created_at) && (signs_from === undefined || isTime(signs_from));
  return typeof kid === 'string' && isTimed && [private_jwk.x, private_jwk.y, private_jwk.d].every(isKey);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value));
}

/** A key of 32 bytes for one purpose, derived from the key that seals cursors. */
export function derivedKey({ cursor_key }: Pick<Secrets, 'cursor_key'>, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(cursor_key, 'base64url'), '', purpose, 32));
}

/** The secrets of a data folder: `secrets.json`, for its owner alone. One process at a time has the folder. */
export function createSecretsFile(dataDir: string): SecretsVault {
  const path = secretsPath(dataDir);
  const inTurn = createSerializer<string>();
  return {
    read: async () => {
      const text = await readIfThere(path);
      return { secrets: text === undefined ? {} : parseIn(`\`${path}\``, text), version: versionOf(text) };
    },
    write: (secrets, seen) =>
      inTurn(path, async () => {
        if (versionOf(await readIfThere(path)) !== seen.version) return false;
        await writeDurably(path, `${JSON.stringify(secrets, null, 2)}\n`);
        return true;
      }),
  };
}

function parseIn(place: string, text: string): Partial<Secrets> {
  try {
    return parseSecrets(text);
  } catch (error) {
    throw new Error(`the secrets in ${place} cannot be used: ${sentenceOf(error)}`);
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
    // Half of the secrets is of no use to a reader who may have them.
    await rm(aside, { force: true }).catch(() => undefined);
    throw new Unavailable(`the secrets in \`${path}\` cannot be written: ${sentenceOf(error)}`, { cause: error });
  }
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', ownerMode);
  try {
    // A file that a crash left behind keeps its mode.
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

export const secretsKey: Key = { pk: 'platform', sk: 'secrets' };

/**
 * The secrets in the platform's own scope, the same for every node. With a master key they are sealed by AES-256-GCM;
 * what was kept open before it was set is sealed when it is read.
 */
export function createSecretsInStore(platform: Scope, masterKey?: KeyObject): SecretsVault {
  const put = (secrets: Partial<Secrets>, condition: Condition): Promise<boolean> =>
    tryCommit(platform, [{ kind: 'put', ...secretsKey, value: writeSecrets(secrets, masterKey), if: condition }]);
  return {
    read: async () => {
      for (;;) {
        const [item] = await platform.get([secretsKey]);
        if (item === undefined) return { secrets: {}, version: nothingKept };
        const { secrets, isSealed } = readSecrets(item.value, masterKey);
        if (isSealed || masterKey === undefined) return { secrets, version: String(item.version) };
        await put(secrets, { version: item.version });
      }
    },
    write: (secrets, seen) => put(secrets, seen.version === nothingKept ? 'absent' : { version: Number(seen.version) }),
  };
}

/** The value under {@link secretsKey}. */
export function writeSecrets(secrets: Partial<Secrets>, masterKey: KeyObject | undefined): string {
  const text = JSON.stringify(secrets);
  return masterKey === undefined ? text : JSON.stringify({ sealed: seal(text, masterKey) });
}

/** @throws Error with a sentence for the operator, which repeats nothing of the secrets. */
export function readSecrets(value: string, masterKey: KeyObject | undefined) {
  const sealed = sealedIn(value);
  const secrets = parseIn('the store', sealed === undefined ? value : openSealed(sealed, masterKey));
  return { secrets, isSealed: sealed !== undefined };
}

function sealedIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const sealed = typeof value === 'object' && value !== null && 'sealed' in value ? value.sealed : undefined;
    return typeof sealed === 'string' ? sealed : undefined;
  } catch {
    return undefined;
  }
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** Names the kind of text, so that nothing else that the key may later seal can be put in its place. */
const purpose = Buffer.from('freehold secrets');

/** Nonce, tag and ciphertext in base64url. A random nonce does: secrets are written a few times a year. */
function seal(text: string, key: KeyObject): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(purpose);
  const sealed = [sealing.update(text, 'utf8'), sealing.final()];
  return Buffer.concat([nonce, sealing.getAuthTag(), ...sealed]).toString('base64url');
}

function openSealed(sealed: string, key: KeyObject | undefined): string {
  if (key === undefined)
    throw new Error('the secrets in the store are encrypted: set FREEHOLD_MASTER_KEY to the key of the other starts');
  const bytes = Buffer.from(sealed, 'base64url');
  const textAt = nonceBytes + tagBytes;
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(purpose)
      .setAuthTag(bytes.subarray(nonceBytes, textAt));
    return Buffer.concat([opening.update(bytes.subarray(textAt)), opening.final()]).toString('utf8');
  } catch {
    throw new Error(
      'the secrets in the store do not open with FREEHOLD_MASTER_KEY: they were encrypted with another key',
    );
  }
}

/** The circumstances in which a key is to seal secrets. */
export interface MasterKeyUse {
  readonly mode: 'development' | 'production';
  /** The secrets lie in the data folder, where nothing seals them. */
  readonly isLocal: boolean;
}

/** The faults of a key, said without it. A key for development may be guessable. */
export function masterKeyFault(text: string, { mode, isLocal }: MasterKeyUse): string | undefined {
  if (!/^[0-9a-f]{64}$/i.test(text)) return 'must be 64 hex digits, as `openssl rand -hex 32` makes them';
  if (isLocal) return 'is for secrets in PostgreSQL: those of `sqlite:` lie in the data folder';
  if (mode === 'development' || !isGuessable(Buffer.from(text, 'hex'))) return undefined;
  return 'must be random in production, such as what `openssl rand -hex 32` prints';
}

/**
 * Of 32 random bytes fewer than 16 different ones, or steps, never come; of a key made by hand few do: zeros, one byte, a
 * short text again and again, bytes that count, words.
 */
function isGuessable(key: Buffer): boolean {
  const steps = key.map((byte, index) => byte - (key[index - 1] ?? 0));
  const isText = key.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isText || new Set(key).size < 16 || new Set(steps).size < 16;
}
