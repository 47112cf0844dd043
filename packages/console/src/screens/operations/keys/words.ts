import type { SigningKey } from './queries.ts';

export const stateNames: Readonly<Record<SigningKey['state'], string>> = {
  published: 'Waiting',
  signing: 'Signing',
  retiring: 'Retiring',
};

/** What a key does now, and what becomes of it. */
export function stateSentence({ state, signs_from, verifies_until }: SigningKey): string {
  switch (state) {
    case 'published':
      return `It is published, so that every verifier learns it, and signs from ${minuteOf(signs_from)} on.`;
    case 'signing':
      return verifies_until === undefined
        ? `It signs every new token, since ${minuteOf(signs_from)}.`
        : `It signs every new token until the next key does; its tokens are accepted until ${minuteOf(verifies_until)}.`;
    case 'retiring':
      return verifies_until === undefined
        ? 'It signs no more. Its tokens are accepted until they expire.'
        : `It signs no more. Its tokens are accepted until ${minuteOf(verifies_until)}; then the platform deletes the key.`;
  }
}

/** The effects of a revocation, a sentence each. */
export function revocationSentences(key: SigningKey, keys: readonly SigningKey[]): readonly string[] {
  if (key.state === 'published')
    return ['It has signed nothing yet, so no token ends. The present key goes on signing.'];
  const ends =
    'Every token that this key signed ends at once: the users of all apps with such a token sign in again. Services elsewhere that verify tokens may accept them for up to 5 minutes more.';
  if (key.state === 'retiring') return [ends, 'The key that signs now is not touched.'];
  const waiting = keys.find(({ state }) => state === 'published');
  const next =
    waiting === undefined
      ? 'A new key is made and signs at once.'
      : `The key ${waiting.kid}, which waits, signs at once.`;
  return [ends, `${next} Services elsewhere may not know it for up to 5 minutes.`];
}

/** Such as `2026-11-26 22:10 UTC`. */
export function minuteOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
