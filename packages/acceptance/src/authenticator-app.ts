import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What a person has in an authenticator app: the codes of RFC 6238 with 6 digits, made of the secret in base32. */
export class AuthenticatorApp {
  readonly #secret: Buffer;
  #last = 0;

  constructor(base32: string) {
    const bits = [...base32].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
    this.#secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  }

  /** A code that was not shown before. The platform takes that of now and of the next step: two, without waiting. */
  next(): string {
    const now = Math.floor(Date.now() / 30_000);
    const step = Math.max(now, this.#last + 1);
    assert.ok(step <= now + 1, 'a third code has to wait: use a recovery code');
    this.#last = step;
    return this.at(step);
  }

  /** The code of a moment. */
  atMilliseconds(milliseconds: number): string {
    return this.at(Math.floor(milliseconds / 30_000));
  }

  at(step: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const mac = createHmac('sha1', this.#secret).update(counter).digest();
    const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
    return String(number % 1_000_000).padStart(6, '0');
  }
}
