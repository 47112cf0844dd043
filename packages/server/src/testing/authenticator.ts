import { createHmac } from 'node:crypto';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of RFC 6238 that an authenticator app shows at a moment, for a secret in base32. */
export function authenticatorCode(base32: string, milliseconds: number): string {
  const bits = [...base32].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(milliseconds / 30_000)));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}
