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
