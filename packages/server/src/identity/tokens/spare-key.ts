import { timestamp } from '../../lib/clock.ts';
import { generateSigningKey, type StoredSigningKey } from './signing-key.ts';

/** Called with a key before the change is stored, so that every change is recorded. */
export type RecordKeyChange = (kid: string) => Promise<void>;

/** The key that comes next. It is made once and recorded once, however often storing it is tried. */
export class SpareKey {
  #made: StoredSigningKey | undefined;
  #isTold = false;

  /** @param times in milliseconds since the epoch. */
  async take(
    { now, signsFrom = now }: { readonly now: number; readonly signsFrom?: number },
    tell: RecordKeyChange,
  ): Promise<StoredSigningKey> {
    this.#made ??= await generateSigningKey(now);
    if (!this.#isTold) await tell(this.#made.kid);
    this.#isTold = true;
    return { ...this.#made, created_at: timestamp(now), signs_from: timestamp(signsFrom) };
  }

  /** Where it is among the keys that are kept, another comes next. */
  see(kept: readonly StoredSigningKey[]): void {
    if (!kept.some(({ kid }) => kid === this.#made?.kid)) return;
    this.#made = undefined;
    this.#isTold = false;
  }
}
