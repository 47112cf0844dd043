import { hash, timingSafeEqual } from 'node:crypto';
import { Problem } from '../lib/problem.ts';
import type { LoginThrottle } from './realm/realm.ts';

interface OperatorAccessDeps {
  /** The data that are kept of the key: its SHA-256, in hexadecimal. */
  readonly digest: string;
  /** Its own: who fails to sign in elsewhere must not keep the operator out. */
  readonly loginThrottle: LoginThrottle;
}

/** The operator of the platform, who is known by a key of the settings. */
export function createOperatorAccess({ digest, loginThrottle }: OperatorAccessDeps) {
  const expected = Buffer.from(digest, 'hex');
  return {
    /** @throws Problem `token_invalid`, and `rate_limited` after too many wrong keys from one address. */
    admit: (key: string, ip: string) => {
      const attempt = { emailKey: 'operator', ip };
      loginThrottle.check(attempt);
      if (timingSafeEqual(digestBytes(key), expected)) return loginThrottle.recordSuccess(attempt);
      loginThrottle.recordFailure(attempt);
      throw new Problem('token_invalid', 'the operator key is not valid');
    },
  };
}

export function operatorKeyDigest(key: string): string {
  return digestBytes(key).toString('hex');
}

function digestBytes(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The fault of a key that is to be set, in words without the key. A key for development may be short. */
export function operatorKeyFault(key: string, mode: 'development' | 'production'): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(key)) return 'must be printable ASCII without spaces';
  if (mode === 'development') return undefined;
  if (key.length < lengthMin) return `must have at least ${lengthMin} characters in production`;
  const isGuessable = new Set(key).size < differentMin || wellKnown.test(key) || repetition.test(key);
  return isGuessable ? 'must be random in production, such as what `openssl rand -hex 32` prints' : undefined;
}

const lengthMin = 32;
const differentMin = 8;
const wellKnown = /change.?me|password|secret|default|example|operator|freehold|1234567890/i;
const repetition = /^(.{1,16})\1+$/;
