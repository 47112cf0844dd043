import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { Condition, Key, Scope } from '../../store/port.ts';
import { tryCommit } from '../../store/transact.ts';
import { nothingKept, parseSecrets, type Secrets, type SecretsVault } from './secrets.ts';

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

interface FoundSecrets {
  readonly secrets: Partial<Secrets>;
  readonly isSealed: boolean;
}

/** @throws Error with a sentence for the operator, which repeats nothing of the secrets. */
export function readSecrets(value: string, masterKey: KeyObject | undefined): FoundSecrets {
  const sealed = sealedIn(value);
  const secrets = parse(sealed === undefined ? value : openSealed(sealed, masterKey));
  return { secrets, isSealed: sealed !== undefined };
}

function parse(text: string): Partial<Secrets> {
  try {
    return parseSecrets(text);
  } catch (error) {
    throw new Error(`the secrets in the store cannot be used: ${error instanceof Error ? error.message : ''}`);
  }
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
/** Says what the text is, so that nothing else that the key may come to seal can be put in its place. */
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

/** Where a key is to seal secrets. */
export interface MasterKeyUse {
  readonly mode: 'development' | 'production';
  /** The secrets lie in the data folder, where nothing seals them. */
  readonly isLocal: boolean;
}

/** What is wrong with a key, said without it. A key for development may be guessable. */
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
