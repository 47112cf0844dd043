import { randomBytes } from 'node:crypto';
import { secretHash } from '../../lib/ids.ts';

/** Codes for when the factors are lost: each is valid once. Of 100 bits, so their plain hashes tell nothing. */

const codesCount = 10;
/** Without letters that look like others. */
const letters = '23456789abcdefghjkmnpqrstuvwxyz0';
const groups = 4;
const groupLetters = 5;

export interface MadeRecoveryCodes {
  /** To be shown once. */
  readonly codes: readonly string[];
  /** To be stored. */
  readonly hashes: readonly string[];
}

export function makeRecoveryCodes(): MadeRecoveryCodes {
  const codes = Array.from({ length: codesCount }, newCode);
  return { codes, hashes: codes.map(recoveryHash) };
}

function newCode(): string {
  const made = Array.from(randomBytes(groups * groupLetters), (byte) => letters.charAt(byte % letters.length)).join('');
  return (made.match(/.{5}/g) ?? []).join('-');
}

/** The same for every way in which a person types the code. */
export function recoveryHash(code: string): string {
  return secretHash(
    `recovery code ${code
      .toLowerCase()
      .replaceAll('o', '0')
      .replaceAll(/[^0-9a-z]/g, '')}`,
  );
}
