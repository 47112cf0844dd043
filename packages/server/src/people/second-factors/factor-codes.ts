import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { secretHash } from '../../lib/ids.ts';

/** Codes of an authenticator app: RFC 6238 with SHA-1, 6 digits and steps of 30 seconds, which all apps have. */

const stepMilliseconds = 30_000;
const secretBytes = 20;

export function newTotpSecret(): Buffer {
  return randomBytes(secretBytes);
}

export function totpStep(milliseconds: number): number {
  return Math.floor(milliseconds / stepMilliseconds);
}

/** The code of a step (RFC 4226, 5.3). */
export function totpCode(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export interface TotpAttempt {
  readonly code: string;
  readonly now: number;
  /** The step of the last code that was taken: neither it nor an earlier one is taken again. */
  readonly lastStep: number;
}

/** The step whose code it is: that of now, the one before or the one after. Undefined where it is the code of none that may be taken. */
export function matchingStep(secret: Buffer, { code, now, lastStep }: TotpAttempt): number | undefined {
  const typed = Buffer.from(code.replaceAll(/\s/g, ''));
  const current = totpStep(now);
  const steps = [current - 1, current, current + 1];
  // Every step is compared, so that no time tells which one was near.
  const matching = steps.filter((step) => {
    const expected = Buffer.from(totpCode(secret, step));
    return typed.length === expected.length && timingSafeEqual(typed, expected);
  });
  return matching.find((step) => step > lastStep);
}

const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, 6, without padding, as authenticator apps take it. */
export function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => base32Letters.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('');
}

/** The content of a QR code for authenticator apps. The issuer is there twice, for apps that read one place alone. */
export function otpauthUri(
  secret: Buffer,
  { issuer, account }: { readonly issuer: string; readonly account: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

/** Codes for when the factors are lost: each is valid once. Of 100 bits, so their plain hashes tell nothing. */

const codesCount = 10;
/** Without letters that look like others. */
const letters = '23456789abcdefghjkmnpqrstuvwxyz0';
const groups = 4;
const groupLetters = 5;

export function makeRecoveryCodes() {
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
