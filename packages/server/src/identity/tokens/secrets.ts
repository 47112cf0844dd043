import { hkdfSync, randomBytes } from 'node:crypto';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { SealingKey } from '../../records/port.ts';
import { generateSigningKey, type StoredSigningKey } from './signing-key.ts';

/** What the platform must keep to itself. Made at the first start unless it is set. */
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
  read(): Promise<KeptSecrets>;
  /** Durable when it resolves. False if another process has written since `seen`; then nothing has changed. */
  write(secrets: Partial<Secrets>, seen: KeptSecrets): Promise<boolean>;
}

interface KeptSecrets {
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
type KeptSigningKey = Omit<StoredSigningKey, 'signs_from'> & { readonly signs_from?: string };

function isSigningKey(value: unknown): value is KeptSigningKey {
  if (!isObject(value) || !isObject(value.private_jwk)) return false;
  const { kid, created_at, signs_from, private_jwk } = value;
  const isTimed = isTime(created_at) && (signs_from === undefined || isTime(signs_from));
  return typeof kid === 'string' && isTimed && [private_jwk.x, private_jwk.y, private_jwk.d].every(isKey);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && Number.isFinite(Date.parse(value));
}

/** A key of 32 bytes for one purpose, from the one that seals cursors. */
export function derivedKey({ cursor_key }: Pick<Secrets, 'cursor_key'>, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(cursor_key, 'base64url'), '', purpose, 32));
}
